"""Music: a catalogue of songs, one's library, playlists, and artists that one follows."""

from __future__ import annotations

import sqlite3
from typing import Any

from agentgym_tools.apps.api.app import App, change, look, pattern, text, within
from agentgym_tools.worlds.toolbox import ToolFailure

_MINE = "SELECT songs.*, is_liked, plays, rating FROM library JOIN songs ON songs.id = song_id WHERE owner = ?"


def _song(row: sqlite3.Row) -> dict[str, Any]:
    fields = ("title", "artist", "album", "genre", "year", "seconds")
    return {"song_id": row["id"], **{name: row[name] for name in fields}}


def _own_song(row: sqlite3.Row) -> dict[str, Any]:
    return {**_song(row), "is_liked": bool(row["is_liked"]), "plays": row["plays"], "rating": row["rating"]}


def _playlist(row: sqlite3.Row) -> dict[str, Any]:
    return {"playlist_id": row["id"], "title": row["title"], "is_public": bool(row["is_public"])}


class Music(App):
    """The music app."""

    about = "songs, your library, playlists, artists that you follow"

    @look
    def search_songs(self, query: str, page: int = 0, limit: int = 10) -> Any:
        """Find songs of the catalogue by a part of the title."""
        sql = "SELECT * FROM songs WHERE instr(lower(title), ?) ORDER BY title, id"
        return self.page_of("songs", _song, sql, pattern(query), page=page, limit=limit)

    @look
    def list_artists(self) -> Any:
        """List the artists of the catalogue with how many songs they have."""
        rows = self.world.rows("SELECT artist, count(*) AS songs FROM songs GROUP BY artist ORDER BY artist")
        return [dict(row) for row in rows]

    @look
    def list_genres(self) -> Any:
        """List the genres of the catalogue."""
        return [row["genre"] for row in self.world.rows("SELECT DISTINCT genre FROM songs ORDER BY genre")]

    @look
    def list_songs_of_artist(self, artist: str, page: int = 0, limit: int = 10) -> Any:
        """List an artist's songs of the catalogue, the oldest first."""
        sql = "SELECT * FROM songs WHERE lower(artist) = ? ORDER BY year, title"
        return self.page_of("songs", _song, sql, pattern(artist), page=page, limit=limit)

    @look
    def list_songs_of_genre(self, genre: str, page: int = 0, limit: int = 10) -> Any:
        """List the songs of the catalogue of a genre by title."""
        sql = "SELECT * FROM songs WHERE genre = ? ORDER BY title"
        return self.page_of("songs", _song, sql, pattern(genre), page=page, limit=limit)

    @look
    def list_album(self, album: str) -> Any:
        """List the songs of an album.

        Args:
            album: The album's whole title.
        """
        sql = "SELECT * FROM songs WHERE lower(album) = ? ORDER BY title"
        return self.page_of("songs", _song, sql, pattern(album), page=0, limit=20)

    @look
    def get_song(self, song_id: int) -> Any:
        """Read what the catalogue says of a song."""
        return _song(self._catalogued(song_id))

    @look
    def list_library(self, page: int = 0, limit: int = 10) -> Any:
        """List the songs of your library by title, with how often you played them and your ratings."""
        return self.page_of("library", _own_song, f"{_MINE} ORDER BY title", self.user, page=page, limit=limit)

    @look
    def list_liked(self, page: int = 0, limit: int = 10) -> Any:
        """List the songs of your library that you like."""
        sql = f"{_MINE} AND is_liked ORDER BY title"
        return self.page_of("library", _own_song, sql, self.user, page=page, limit=limit)

    @look
    def list_most_played(self, limit: int = 10) -> Any:
        """List the songs of your library that you played most often."""
        sql = f"{_MINE} ORDER BY plays DESC, title"
        return self.page_of("library", _own_song, sql, self.user, page=0, limit=limit)

    @change
    def add_to_library(self, song_id: int) -> Any:
        """Put a song into your library."""
        self._catalogued(song_id)
        if self._in_library(song_id) is not None:
            raise ToolFailure("The song is in your library already.")
        self.world.write("INSERT INTO library VALUES (?, ?, 0, 0, NULL)", self.user, song_id)
        return "Added."

    @change
    def remove_from_library(self, song_id: int) -> Any:
        """Take a song out of your library; playlists keep it."""
        self._owned(song_id)
        self.world.write("DELETE FROM library WHERE owner = ? AND song_id = ?", self.user, song_id)
        return "Removed."

    @change
    def like_song(self, song_id: int, is_liked: bool = True) -> Any:
        """Like a song of your library, or no longer.

        Args:
            is_liked: Whether you like it from now on.
        """
        self._owned(song_id)
        sql = "UPDATE library SET is_liked = ? WHERE owner = ? AND song_id = ?"
        self.world.write(sql, int(is_liked), self.user, song_id)
        return "Done."

    @change
    def rate_song(self, song_id: int, stars: int) -> Any:
        """Rate a song of your library."""
        self._owned(song_id)
        sql = "UPDATE library SET rating = ? WHERE owner = ? AND song_id = ?"
        self.world.write(sql, within(stars, 1, 5, "stars"), self.user, song_id)
        return "Rated."

    @look
    def list_playlists(self, page: int = 0, limit: int = 10) -> Any:
        """List your playlists."""
        sql = "SELECT * FROM playlists WHERE owner = ? ORDER BY id"
        return self.page_of("playlists", _playlist, sql, self.user, page=page, limit=limit)

    @look
    def list_playlist_songs(self, playlist_id: int, page: int = 0, limit: int = 10) -> Any:
        """List the songs of a playlist of yours, or of a public one, by title."""
        row = self.world.row("SELECT * FROM playlists WHERE id = ?", playlist_id)
        if row is None or (row["owner"] != self.user and not row["is_public"]):
            raise ToolFailure(f"You have no playlist {playlist_id}.")
        self.show("playlists", playlist_id)
        sql = "SELECT songs.* FROM playlist_songs JOIN songs ON songs.id = song_id WHERE playlist_id = ? ORDER BY title"
        songs = self.page_of("songs", _song, sql, playlist_id, page=page, limit=limit)
        for song in songs:
            self.show("playlist songs", f"{playlist_id} {song['song_id']}")
        return songs

    @look
    def list_public_playlists(self, email: str) -> Any:
        """List the public playlists of a person."""
        sql = "SELECT * FROM playlists WHERE owner = ? AND is_public ORDER BY id"
        return self.page_of("playlists", _playlist, sql, self.person("email", email)["id"], page=0, limit=20)

    @change
    def create_playlist(self, title: str) -> Any:
        """Make an empty playlist that only you see."""
        values = {"owner": self.user, "title": text(title, "title", most=80), "is_public": 0}
        return {"playlist_id": self.add("playlists", **values)}

    @change
    def rename_playlist(self, playlist_id: int, title: str) -> Any:
        """Change the title of a playlist."""
        self.own("playlists", playlist_id, "playlist")
        self.update("playlists", playlist_id, title=text(title, "title", most=80))
        return "Renamed."

    @change
    def publish_playlist(self, playlist_id: int, is_public: bool = True) -> Any:
        """Let everybody see a playlist, or nobody else.

        Args:
            is_public: Whether everybody sees it from now on.
        """
        self.own("playlists", playlist_id, "playlist")
        self.update("playlists", playlist_id, is_public=int(is_public))
        return "Done."

    @change
    def add_to_playlist(self, playlist_id: int, song_id: int) -> Any:
        """Put a song of the catalogue into a playlist."""
        self.own("playlists", playlist_id, "playlist")
        self._catalogued(song_id)
        if self._in_playlist(playlist_id, song_id):
            raise ToolFailure("The song is in the playlist already.")
        self.world.write("INSERT INTO playlist_songs VALUES (?, ?)", playlist_id, song_id)
        return "Added."

    @change
    def remove_from_playlist(self, playlist_id: int, song_id: int) -> Any:
        """Take a song out of a playlist."""
        self.own("playlists", playlist_id, "playlist")
        if not self._in_playlist(playlist_id, song_id):
            raise ToolFailure("The song is not in the playlist.")
        sql = "DELETE FROM playlist_songs WHERE playlist_id = ? AND song_id = ?"
        self.world.write(sql, playlist_id, song_id)
        return "Removed."

    @change
    def delete_playlist(self, playlist_id: int) -> Any:
        """Delete a playlist; its songs stay in your library."""
        self.own("playlists", playlist_id, "playlist")
        self.world.write("DELETE FROM playlist_songs WHERE playlist_id = ?", playlist_id)
        self.remove("playlists", playlist_id)
        return "Deleted."

    @look
    def list_followed(self) -> Any:
        """List the artists that you follow."""
        self.show("followed", self.user)
        sql = "SELECT artist FROM followed WHERE owner = ? ORDER BY artist"
        return [row["artist"] for row in self.world.rows(sql, self.user)]

    @change
    def follow_artist(self, artist: str) -> Any:
        """Follow an artist of the catalogue."""
        row = self.world.row("SELECT artist FROM songs WHERE lower(artist) = ?", pattern(artist))
        if row is None:
            raise ToolFailure(f"The catalogue has no artist {artist[:60]!r}.")
        if self._follows(row["artist"]):
            raise ToolFailure("You follow that artist already.")
        self.world.write("INSERT INTO followed VALUES (?, ?)", self.user, row["artist"])
        return "Done."

    @change
    def unfollow_artist(self, artist: str) -> Any:
        """No longer follow an artist."""
        sql = "DELETE FROM followed WHERE owner = ? AND lower(artist) = ?"
        if not self.world.write(sql, self.user, pattern(artist)):
            raise ToolFailure("You do not follow that artist.")
        return "Done."

    def _catalogued(self, number: int) -> sqlite3.Row:
        row = self.world.row("SELECT * FROM songs WHERE id = ?", number)
        if row is None:
            raise ToolFailure(f"There is no song {number}.")
        self.show("songs", number)
        return row

    def _in_library(self, number: int) -> sqlite3.Row | None:
        return self.world.row("SELECT * FROM library WHERE owner = ? AND song_id = ?", self.user, number)

    def _owned(self, number: int) -> None:
        if self._in_library(number) is None:
            raise ToolFailure(f"Your library has no song {number}.")

    def _in_playlist(self, playlist: int, song: int) -> bool:
        sql = "SELECT 1 FROM playlist_songs WHERE playlist_id = ? AND song_id = ?"
        return self.world.row(sql, playlist, song) is not None

    def _follows(self, artist: str) -> bool:
        sql = "SELECT 1 FROM followed WHERE owner = ? AND artist = ?"
        return self.world.row(sql, self.user, artist) is not None
