"""Requests about posts."""

from __future__ import annotations

from agentgym_tools.workbench.cases import Case, View, do, leave, tell
from agentgym_tools.workbench.rows.people import PEOPLE
from agentgym_tools.workbench.rows.posts import ENDINGS, OPENINGS, REMARKS, TAGS
from agentgym_tools.workbench.sets.toolbox import LISTED
from agentgym_tools.workbench.template import Facts, Pick, Template, UndrawableError, direct
from agentgym_tools.worlds.calls import Call

_OWN = "SELECT * FROM posts WHERE author = ? ORDER BY id"
_FOREIGN = "SELECT id FROM posts WHERE author <> ? ORDER BY id"
_FOLLOWED = "SELECT author FROM follows WHERE person = ? ORDER BY author"


def _text(pick: Pick) -> str:
    tag = pick.one(TAGS)
    return f"{pick.one(OPENINGS)} {tag[1:]} {pick.one(ENDINGS)}, with {pick.number(2, 60)} people {tag}"


def _own(pick: Pick) -> int:
    return int(pick.row(_OWN, pick.me)["id"])


def _foreign(pick: Pick) -> Facts:
    return {"post_id": pick.value(_FOREIGN, pick.me)}


def _liked(pick: Pick) -> Facts:
    return {"post_id": pick.value("SELECT post FROM likes WHERE person = ? ORDER BY post", pick.me)}


def _author(pick: Pick) -> str:
    return pick.one([each.id for each in PEOPLE if each.id != pick.me and not each.is_heavy])


def _comment_pinned(view: View, facts: Facts) -> Case:
    post = view.value("SELECT id FROM posts WHERE author = ? AND pinned = 1", facts["author"])
    call = Call("comment_on", {"post_id": post, "text": facts["text"]})
    return do(call, reads=[Call("list_posts", {"author": facts["author"]})])


def _repost_pinned(view: View, facts: Facts) -> Case:
    post = view.value("SELECT id FROM posts WHERE author = ? AND pinned = 1", facts["author"])
    reads = [Call("list_posts", {"author": facts["author"]})]
    return do(Call("repost", {"post_id": post}), reads=reads)


def _tagged(view: View, facts: Facts) -> list[int]:
    sql = "SELECT id FROM posts WHERE author = ? AND instr(text, ?) ORDER BY id"
    return [row["id"] for row in view.rows(sql, view.me, facts["tag"])]


def _search(view: View, facts: Facts) -> list[Call]:
    return [Call("find_posts", {"author": view.me, "text": facts["tag"]})]


def _delete_tagged(view: View, facts: Facts) -> Case:
    found = _tagged(view, facts)
    if not found:
        listed = (f"posts {view.me}", f"posts {view.me} {facts['tag']}")
        return leave("not_found", _search(view, facts), *([(LISTED, name)] for name in listed))
    if len(found) > 4:
        raise UndrawableError
    return do(*(Call("delete_post", {"post_id": post}) for post in found), reads=_search(view, facts))


def _count_tagged(view: View, facts: Facts) -> Case:
    listed = (f"posts {view.me}", f"posts {view.me} {facts['tag']}")
    return tell(len(_tagged(view, facts)), _search(view, facts), *([(LISTED, name)] for name in listed))


def _pin_about(view: View, facts: Facts) -> Case:
    found = _tagged(view, facts)
    if len(found) != 1:
        raise UndrawableError
    return do(Call("pin_post", {"post_id": found[0]}), reads=_search(view, facts))


def _tag(pick: Pick) -> Facts:
    return {"tag": pick.one(TAGS)}


def _count_comments(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT id FROM comments WHERE post = ?", facts["post_id"])
    return tell(len(found), [Call("list_comments", facts)], [(LISTED, f"comments {facts['post_id']}")])


def _count_likes(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT person FROM likes WHERE post = ?", facts["post_id"])
    return tell(len(found), [Call("get_post", facts)], [(LISTED, f"likes {facts['post_id']}")])


def _remark(pick: Pick) -> Facts:
    sql = "SELECT c.post, c.author FROM comments c JOIN posts p ON p.id = c.post WHERE p.author = ? ORDER BY c.id"
    row = pick.row(sql, pick.me)
    return {"post_id": row["post"], "author": row["author"]}


def _delete_remark(view: View, facts: Facts) -> Case:
    sql = "SELECT id FROM comments WHERE post = ? AND author = ?"
    found = view.rows(sql, facts["post_id"], facts["author"])
    calls = [Call("delete_comment", {"comment_id": row["id"]}) for row in found]
    return do(*calls, reads=[Call("list_comments", {"post_id": facts["post_id"]})])


def _count_followers(view: View, facts: Facts) -> Case:
    found = view.rows("SELECT person FROM follows WHERE author = ?", facts["author"])
    return tell(len(found), [Call("list_followers", facts)], [(LISTED, f"followers {facts['author']}")])


def _follow_back(view: View, facts: Facts) -> Case:
    fans = {row["person"] for row in view.rows("SELECT person FROM follows WHERE author = ?", view.me)}
    missing = sorted(fans - {row["author"] for row in view.rows(_FOLLOWED, view.me)})
    if not 1 <= len(missing) <= 6:
        raise UndrawableError
    reads = [Call("list_followers", {"author": view.me}), Call("list_followed")]
    return do(*(Call("follow", {"author": author}) for author in missing), reads=reads)


def _pin_last(view: View, facts: Facts) -> Case:
    return do(Call("pin_post", {"post_id": view.added("posts")}))


def _comment_last(view: View, facts: Facts) -> Case:
    return do(Call("comment_on", {"post_id": view.added("posts"), "text": facts["text"]}))


POSTS = "posts"
TEMPLATES = (
    direct(
        *("publish", POSTS, "publish_post"),
        ('Publish the post "{text}".', 'Post this on my page: "{text}"'),
        lambda pick: {"text": _text(pick)},
        missing="text",
        vague=("Publish a post for me.", "Post something on my page."),
    ),
    direct(
        *("edit", POSTS, "edit_post"),
        ('Change my post {post_id}; it shall say "{text}".', 'My post {post_id} shall read "{text}".'),
        lambda pick: {"post_id": _own(pick), "text": _text(pick)},
        idle=lambda pick: {**_foreign(pick), "text": _text(pick)},
        missing="text",
        vague=("Change what my post {post_id} says.",),
    ),
    direct(
        *("delete_post", POSTS, "delete_post"),
        ("Delete my post {post_id}.", "My post {post_id} shall go."),
        lambda pick: {"post_id": _own(pick)},
        idle=lambda pick: {"post_id": pick.number(90_000, 99_000)},
    ),
    direct(
        *("like", POSTS, "like_post"),
        ("Like post {post_id}.", "Show that I like the post {post_id}."),
        _foreign,
        idle=_liked,
    ),
    direct(
        *("unlike", POSTS, "unlike_post"),
        ("I do not like post {post_id} any more; take my like back.", "Take back my like of post {post_id}."),
        _liked,
        idle=_foreign,
    ),
    direct(
        *("follow", POSTS, "follow"),
        ("Follow {author}.", "I want to follow {author} from now on."),
        lambda pick: {"author": _author(pick)},
        idle=lambda pick: {"author": pick.value(_FOLLOWED, pick.me)},
        missing="author",
        vague=("Follow somebody for me.", "There is an author that I want to follow from now on."),
    ),
    direct(
        *("unfollow", POSTS, "unfollow"),
        ("Stop following {author}.", "I do not want to follow {author} any more."),
        lambda pick: {"author": pick.value(_FOLLOWED, pick.me)},
        idle=lambda pick: {"author": _author(pick)},
    ),
    Template(
        *("comment_pinned", POSTS),
        ('Comment on the pinned post of {author}: "{text}"', 'Write "{text}" under the post that {author} has pinned.'),
        lambda pick: {"author": _author(pick), "text": pick.one(REMARKS)},
        _comment_pinned,
        key_tool="comment_on",
        missing="text",
        vague=("Comment on the pinned post of {author}.",),
    ),
    Template(
        *("repost_pinned", POSTS),
        (
            "Repost the pinned post of {author}.",
            "The post that {author} has pinned shall be on my page, too: repost it.",
        ),
        lambda pick: {"author": _author(pick)},
        _repost_pinned,
        key_tool="repost",
    ),
    Template(
        *("delete_tagged", POSTS),
        ("Delete all my posts with the tag {tag}.", "Remove everything from my page that is tagged {tag}."),
        _tag,
        _delete_tagged,
        idle=_tag,
        key_tool="delete_post",
        is_long=True,
    ),
    Template(
        *("count_tagged", POSTS),
        ("How many of my posts have the tag {tag}?", "Count my posts with {tag}."),
        _tag,
        _count_tagged,
        is_long=True,
    ),
    Template(
        *("pin_about", POSTS),
        ("Pin my post with the tag {tag}.", "The one post of mine that is tagged {tag} shall be pinned."),
        _tag,
        _pin_about,
        key_tool="pin_post",
    ),
    Template(
        *("count_comments", POSTS),
        ("How many comments are on my post {post_id}?", "Count the comments on my post {post_id}."),
        lambda pick: {"post_id": _own(pick)},
        _count_comments,
    ),
    Template(
        *("count_likes", POSTS),
        ("How many people like post {post_id}?", "How many likes has the post {post_id}?"),
        _foreign,
        _count_likes,
    ),
    Template(
        *("delete_remark", POSTS),
        (
            "Delete what {author} has written under my post {post_id}.",
            "Remove the comment of {author} on my post {post_id}.",
        ),
        _remark,
        _delete_remark,
        key_tool="delete_comment",
    ),
    Template(
        *("count_followers", POSTS),
        ("How many people follow {author}?", "Count the followers of {author}."),
        lambda pick: {"author": _author(pick)},
        _count_followers,
    ),
    Template(
        *("follow_back", POSTS),
        ("Follow everybody who follows me and whom I do not follow yet.", "Follow all my followers back."),
        lambda pick: {},
        _follow_back,
        key_tool="follow",
    ),
    Template(
        *("pin_last", POSTS),
        ("Pin the post that you have just published.", "The new post shall be pinned on my page."),
        lambda pick: {},
        _pin_last,
        key_tool="pin_post",
        after="posts",
    ),
    Template(
        *("comment_last", POSTS),
        ('Write a comment under the new post: "{text}"', 'Comment on the post that you have just published: "{text}"'),
        lambda pick: {"text": pick.one(REMARKS)},
        _comment_last,
        key_tool="comment_on",
        after="posts",
    ),
)
"""All requests about posts."""
