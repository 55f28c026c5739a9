from __future__ import annotations

import pytest

MEMBER, MODERATOR = "o_nettle", "walnut_mirko"
OPEN, LOCKED = "SELECT id FROM threads WHERE is_locked = 0", "SELECT id FROM threads WHERE is_locked = 1"


def one(sessions, sql):
    return sessions.database("default").execute(sql).fetchone()[0]


@pytest.mark.parametrize(
    "path",
    [
        *(
            "/",
            "/b/baking",
            "/b/about?sort=replies&tag=chat&state=open",
            "/t/1",
            "/search?q=glue&sort=votes",
            "/members",
        ),
        *(
            "/u/farid71",
            "/b/baking/new",
            "/drafts",
            "/settings",
            "/bookmarks",
            "/following",
            "/messages",
            "/mod/reports",
        ),
        *("/messages/new", "/mod/bans", "/mod/log?since=2025-06-01", "/p/9/report", "/messages?box=sent", "/login"),
    ],
)
def test_page_is_shown_to_a_moderator(visit, path):
    assert visit(MODERATOR).get(path).status_code == 200


@pytest.mark.parametrize(
    "path", ["/b/nothing", "/t/99999", "/u/nobody", "/p/99999/edit", "/drafts/999", "/messages/9999"]
)
def test_wrong_id_is_not_found(visit, path):
    assert visit(MEMBER).get(path).status_code == 404


@pytest.mark.parametrize("query", ['"', "NEAR(", "a* OR", "';--", "*", "?"])
def test_search_takes_any_text(visit, query):
    assert visit(MEMBER).get("/search", params={"q": query}).status_code == 200


def test_writing_needs_a_login(visit, sessions):
    visit(None).post("/t/1/reply", data={"body": "Hello."})
    assert one(sessions, "SELECT count(*) FROM posts WHERE body = 'Hello.'") == 0


def test_typed_text_is_escaped(visit, sessions):
    client = visit(MEMBER)
    page = client.post(f"/t/{one(sessions, OPEN)}/reply", data={"body": "<script>alert(1)</script>"})
    assert "&lt;script&gt;alert(1)" in page.text
    assert "<script>alert" not in page.text


def test_locked_thread_takes_no_reply(visit, sessions):
    assert visit(MEMBER).post(f"/t/{one(sessions, LOCKED)}/reply", data={"body": "Hello."}).status_code == 403


def test_only_the_author_edits_a_post(visit, sessions):
    client = visit(MEMBER)
    post = one(sessions, f"SELECT id FROM posts WHERE author != '{MEMBER}' AND thread_id IN ({OPEN})")
    assert client.post(f"/p/{post}/edit", data={"body": "Mine now."}).status_code == 403


def test_nobody_votes_on_posts_of_their_own(visit, sessions):
    client = visit(MEMBER)
    post = one(sessions, f"SELECT id FROM posts WHERE author = '{MEMBER}'")
    assert client.post(f"/p/{post}/vote", data={"value": "1"}).status_code == 403


def test_same_vote_again_takes_it_back(visit, sessions):
    client = visit(MEMBER)
    post = one(
        sessions,
        f"SELECT id FROM posts WHERE author != '{MEMBER}' AND id NOT IN "
        f"(SELECT post_id FROM votes WHERE user = '{MEMBER}')",
    )
    client.post(f"/p/{post}/vote", data={"value": "1"})
    assert sessions.changes("default")["votes"]["added"] == [{"post_id": post, "user": MEMBER, "value": 1}]
    client.post(f"/p/{post}/vote", data={"value": "1"})
    assert sessions.changes("default") == {}


def test_form_of_a_thread_says_what_is_wrong(visit):
    page = visit(MEMBER).post("/b/baking/new", data={"title": "Hm", "body": ""})
    assert page.status_code == 422
    assert "A title has 5 to 120 characters." in page.text
    assert "Choose a tag." in page.text
    assert "Write something first." in page.text


@pytest.mark.parametrize("path", ["/mod/reports", "/mod/bans", "/mod/log"])
def test_moderation_is_for_moderators(visit, path):
    assert visit(MEMBER).get(path).status_code == 403


def test_upheld_report_removes_the_post_and_is_logged(visit, sessions):
    client = visit(MODERATOR)
    report = one(sessions, "SELECT id FROM reports WHERE status = 'open'")
    client.post(f"/mod/reports/{report}", data={"what": "uphold"})
    changes = sessions.changes("default")
    assert {name: len(change["changed"]) for name, change in changes.items()} == {
        "reports": 1,
        "posts": 1,
        "moderation_log": 0,
    }


def test_message_to_somebody_who_takes_none_is_refused(visit, sessions):
    client = visit(MEMBER)
    other = one(sessions, "SELECT login FROM users WHERE takes_messages = 0")
    page = client.post("/messages/new", data={"to": other, "subject": "Hello", "body": "Hello."})
    assert f"{other} takes no messages." in page.text


def test_login_checks_the_password(visit):
    client = visit(None)
    assert client.post("/login", data={"login": MEMBER, "password": "wrong"}).status_code == 422
    assert "Welcome back" in client.post("/login", data={"login": MEMBER, "password": "green-lantern"}).text
