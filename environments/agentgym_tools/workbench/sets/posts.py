"""Posts: what people publish, with comments, likes and follows."""

from __future__ import annotations

from typing import Any

from agentgym_tools.workbench.rows.people import TODAY
from agentgym_tools.workbench.sets.toolbox import LISTED, OwnTools, require, short
from agentgym_tools.worlds.toolbox import reads, writes


class PostTools(OwnTools):
    """The tools of posts."""

    @reads
    def list_posts(self, author: str) -> Any:
        """List the posts of an author.

        Args:
            author: Handle of the author, such as ada.amsel.
        """
        self._person(author)
        self.show(LISTED, f"posts {author}")
        return [self._shown(row) for row in self.world.rows("SELECT * FROM posts WHERE author = ? ORDER BY id", author)]

    @reads
    def get_post(self, post_id: int) -> Any:
        """Show a post with the number of its likes.

        Args:
            post_id: Number of the post.
        """
        row = self._post(post_id)
        likes = self.world.rows("SELECT person FROM likes WHERE post = ?", post_id)
        self.show(LISTED, f"likes {post_id}")
        self.show("likes", post_id)
        is_liked = self.me in [each["person"] for each in likes]
        return {**self._shown(row), "author": row["author"], "likes": len(likes), "you_like_it": is_liked}

    @reads
    def find_posts(self, author: str, text: str) -> Any:
        """List the posts of an author that contain a text, such as a tag.

        Args:
            author: Handle of the author.
            text: The text.
        """
        self._person(author)
        sql = "SELECT * FROM posts WHERE author = ? AND instr(lower(text), lower(?)) ORDER BY id"
        self.show(LISTED, f"posts {author} {text.lower()}")
        return [self._shown(row) for row in self.world.rows(sql, author, text)]

    @reads
    def list_comments(self, post_id: int) -> Any:
        """List the comments on a post.

        Args:
            post_id: Number of the post.
        """
        self._post(post_id)
        self.show(LISTED, f"comments {post_id}")
        found = []
        for row in self.world.rows("SELECT * FROM comments WHERE post = ? ORDER BY id", post_id):
            self.show("comments", row["id"])
            found.append({"comment_id": row["id"], "author": row["author"], "text": row["text"]})
        return found

    @reads
    def list_followed(self) -> Any:
        """List the authors that you follow."""
        self.show(LISTED, "followed")
        rows = self.world.rows("SELECT author FROM follows WHERE person = ? ORDER BY author", self.me)
        return [row[0] for row in rows]

    @reads
    def list_followers(self, author: str) -> Any:
        """List the people who follow an author.

        Args:
            author: Handle of the author.
        """
        self._person(author)
        self.show(LISTED, f"followers {author}")
        rows = self.world.rows("SELECT person FROM follows WHERE author = ? ORDER BY person", author)
        return [row[0] for row in rows]

    @reads
    def get_profile(self, author: str) -> Any:
        """Show the name and town of an author.

        Args:
            author: Handle of the author.
        """
        return dict(self._person(author))

    @writes
    def publish_post(self, text: str) -> Any:
        """Publish a post.

        Args:
            text: What it says, 5 to 300 characters.
        """
        require(5 <= len(text) <= 300, "text has 5 to 300 characters.")
        number = self.world.new_id("posts")
        self.world.write("INSERT INTO posts VALUES (?, ?, ?, ?, 0, 0)", number, self.me, text, TODAY)
        return {"post_id": number}

    @writes
    def edit_post(self, post_id: int, text: str) -> Any:
        """Change the text of one of your posts.

        Args:
            post_id: Number of the post.
            text: The new text, 5 to 300 characters.
        """
        require(5 <= len(text) <= 300, "text has 5 to 300 characters.")
        if self._own(post_id)["text"] == text:
            raise self.is_so_already(f"post {post_id} says so.")
        self.world.write("UPDATE posts SET text = ? WHERE id = ?", text, post_id)
        return f"Changed post {post_id}."

    @writes
    def delete_post(self, post_id: int) -> Any:
        """Delete one of your posts, with its comments and likes.

        Args:
            post_id: Number of the post.
        """
        self._own(post_id)
        self.world.write("DELETE FROM comments WHERE post = ?", post_id)
        self.world.write("DELETE FROM likes WHERE post = ?", post_id)
        self.world.write("DELETE FROM posts WHERE id = ?", post_id)
        return f"Deleted post {post_id}."

    @writes
    def pin_post(self, post_id: int) -> Any:
        """Pin one of your posts; the one that was pinned before is so no longer.

        Args:
            post_id: Number of the post.
        """
        if self._own(post_id)["pinned"]:
            raise self.is_so_already(f"post {post_id} is pinned.")
        self.world.write("UPDATE posts SET pinned = 0 WHERE author = ? AND pinned = 1", self.me)
        self.world.write("UPDATE posts SET pinned = 1 WHERE id = ?", post_id)
        return f"Pinned post {post_id}."

    @writes
    def comment_on(self, post_id: int, text: str) -> Any:
        """Write a comment on a post.

        Args:
            post_id: Number of the post.
            text: The comment.
        """
        self._post(post_id)
        require(len(text) >= 2, "text has at least 2 characters.")
        number = self.world.new_id("comments")
        self.world.write("INSERT INTO comments VALUES (?, ?, ?, ?)", number, post_id, self.me, text)
        return {"comment_id": number}

    @writes
    def delete_comment(self, comment_id: int) -> Any:
        """Delete one of your comments, or one on a post of yours.

        Args:
            comment_id: Number of the comment.
        """
        sql = "SELECT c.author, p.author AS owner FROM comments c JOIN posts p ON p.id = c.post WHERE c.id = ?"
        row = self.world.row(sql, comment_id)
        if row is None:
            self.show("missing", f"comment {comment_id}")
            raise self.not_found(f"there is no comment {comment_id}.")
        self.show("comments", comment_id)
        if self.me not in tuple(row):
            raise self.not_possible(f"comment {comment_id} is neither yours nor on a post of yours.")
        self.world.write("DELETE FROM comments WHERE id = ?", comment_id)
        return f"Deleted comment {comment_id}."

    @writes
    def like_post(self, post_id: int) -> Any:
        """Like a post.

        Args:
            post_id: Number of the post.
        """
        if self._likes(post_id):
            raise self.is_so_already(f"you like post {post_id}.")
        self.world.write("INSERT INTO likes VALUES (?, ?)", self.me, post_id)
        return f"You like post {post_id}."

    @writes
    def unlike_post(self, post_id: int) -> Any:
        """Take back that you like a post.

        Args:
            post_id: Number of the post.
        """
        if not self._likes(post_id):
            raise self.is_so_already(f"you do not like post {post_id}.")
        self.world.write("DELETE FROM likes WHERE person = ? AND post = ?", self.me, post_id)
        return f"You do not like post {post_id} any more."

    @writes
    def follow(self, author: str) -> Any:
        """Follow an author.

        Args:
            author: Handle of the author.
        """
        self._person(author)
        if author == self.me:
            raise self.not_possible("nobody follows themselves.")
        if self._follows(author):
            raise self.is_so_already(f"you follow {author}.")
        self.world.write("INSERT INTO follows VALUES (?, ?)", self.me, author)
        return f"You follow {author}."

    @writes
    def unfollow(self, author: str) -> Any:
        """Follow an author no longer.

        Args:
            author: Handle of the author.
        """
        self._person(author)
        if not self._follows(author):
            raise self.is_so_already(f"you do not follow {author}.")
        self.world.write("DELETE FROM follows WHERE person = ? AND author = ?", self.me, author)
        return f"You do not follow {author} any more."

    @writes
    def repost(self, post_id: int) -> Any:
        """Publish another author's post on your own page.

        Args:
            post_id: Number of the post.
        """
        row = self._post(post_id)
        if row["author"] == self.me:
            raise self.not_possible(f"post {post_id} is your own.")
        if self.world.row("SELECT 1 FROM posts WHERE author = ? AND original = ?", self.me, post_id) is not None:
            raise self.is_so_already(f"you have reposted {post_id}.")
        number = self.world.new_id("posts")
        self.world.write("INSERT INTO posts VALUES (?, ?, ?, ?, 0, ?)", number, self.me, row["text"], TODAY, post_id)
        return {"post_id": number}

    def _person(self, handle: str) -> Any:
        row = self.world.row("SELECT * FROM people WHERE id = ?", handle)
        if row is None:
            self.show("missing", handle)
            raise self.not_found(f"there is nobody called {short(handle)}.")
        self.show("people", handle)
        return row

    def _post(self, post_id: int) -> Any:
        row = self.world.row("SELECT * FROM posts WHERE id = ?", post_id)
        if row is None:
            self.show("missing", f"post {post_id}")
            raise self.not_found(f"there is no post {post_id}.")
        self.show("posts", post_id)
        return row

    def _own(self, post_id: int) -> Any:
        row = self._post(post_id)
        if row["author"] != self.me:
            raise self.not_possible(f"post {post_id} is by {row['author']}.")
        return row

    def _likes(self, post_id: int) -> bool:
        self._post(post_id)
        self.show("likes", post_id)
        return self.world.row("SELECT 1 FROM likes WHERE person = ? AND post = ?", self.me, post_id) is not None

    def _follows(self, author: str) -> bool:
        self.show("follows", author)
        self.is_shown_by("followed")
        return self.world.row("SELECT 1 FROM follows WHERE person = ? AND author = ?", self.me, author) is not None

    def _shown(self, row: Any) -> dict[str, Any]:
        self.show("posts", row["id"])
        shown = {"post_id": row["id"], "text": row["text"], "day": row["day"]}
        return {**shown, "pinned": True} if row["pinned"] else shown
