from __future__ import annotations

import pytest

EDITOR, ADMIN = "Quire", "Archivist"


def one(sessions, sql):
    return sessions.database("default").execute(sql).fetchone()[0]


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/wiki/Great_Sarn", "/backlinks/Great_Sarn", "/pages?sort=links", "/categories", "/category/Bridges"),
        *("/search?q=sail", "/history/Great_Sarn", "/compare/Great_Sarn?from=1&to=3", "/revision/7", "/recent"),
        *("/user/Quire", "/users", "/edit/Great_Sarn", "/edit/Great_Sarn?section=1", "/edit/A_new_page", "/watch_list"),
        *("/edit_categories/Great_Sarn", "/move/Great_Sarn", "/talk/Great_Sarn", "/blocks", "/log", "/delete/Quenn"),
    ],
)
def test_page_is_shown_to_an_admin(visit, path):
    assert visit(ADMIN).get(path).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/wiki/Nowhere", "/history/Nowhere", "/revision/99999", "/user/Nobody", "/category/Nothing", "/talk/Nowhere"],
)
def test_wrong_title_or_id_is_not_found(visit, path):
    assert visit(EDITOR).get(path).status_code == 404


@pytest.mark.parametrize("query", ['"', "NEAR(", "a* OR", "';--", "*", "?"])
def test_search_takes_any_text(visit, query):
    assert visit(EDITOR).get("/search", params={"q": query}).status_code == 200


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", "[[<b>|<img src=x onerror=alert(1)>]]", "'''<i>''' ''<u>''"]
)
def test_markup_escapes_what_is_no_markup(visit, text):
    page = visit(EDITOR).post("/edit/A_new_page", data={"body": text, "what": "save"})
    assert page.status_code == 200
    for tag in ("<script>alert", "<img", "<i>", "<u>", "<b>"):
        assert tag not in page.text


def test_edit_of_a_section_leaves_the_others(visit, sessions):
    client = visit(EDITOR)
    before = one(sessions, "SELECT body FROM search JOIN pages ON pages.id = search.rowid WHERE pages.title = 'Quenn'")
    client.post("/edit/Quenn?section=1", data={"body": "== Geography ==\nAll is sand.", "what": "save"})
    after = one(sessions, "SELECT body FROM search JOIN pages ON pages.id = search.rowid WHERE pages.title = 'Quenn'")
    assert "Geography: All is sand." in after
    assert after.split("Geography:")[0] == before.split("Geography:")[0]


def test_preview_saves_nothing(visit, sessions):
    page = visit(EDITOR).post("/edit/Quenn", data={"body": "Nothing left.", "what": "preview"})
    assert "This is a preview." in page.text
    assert sessions.changes("default") == {}


def test_protected_page_is_for_admins(visit, sessions):
    client = visit(EDITOR)
    assert client.post("/edit/Help:_Editing", data={"body": "Mine.", "what": "save"}).status_code == 403
    client = visit(ADMIN)
    assert client.post("/edit/Help:_Editing", data={"body": "Mine.", "what": "save"}).status_code == 200


def test_restored_revision_is_the_latest_text(visit, sessions):
    client = visit(EDITOR)
    first = "SELECT {} FROM revisions JOIN pages ON pages.id = page_id WHERE title = 'Quenn' AND number = 1"
    client.post(f"/revision/{one(sessions, first.format('revisions.id'))}/restore")
    (added,) = sessions.changes("default")["revisions"]["added"]
    assert added["body"] == one(sessions, first.format("body"))
    assert added["restores"] == 1


def test_moved_page_leaves_a_redirect_where_asked(visit, sessions):
    client = visit(EDITOR)
    assert client.post("/move/Quenn", data={"title": "Great Quenn", "redirect": "1"}).status_code == 200
    page = client.get("/wiki/Quenn")
    assert "<h1>Great Quenn</h1>" in page.text
    assert "Redirected from" in page.text


def test_move_to_a_title_in_use_is_refused(visit, sessions):
    page = visit(EDITOR).post("/move/Quenn", data={"title": "Ilden"})
    assert "There is a page of this title already." in page.text
    assert sessions.changes("default") == {}


@pytest.mark.parametrize("path", ["/protect/Quenn", "/delete/Quenn", "/blocks/new", "/blocks/lift"])
def test_administration_is_for_admins(visit, path):
    assert visit(EDITOR).post(path).status_code == 403


def test_blocked_editor_cannot_write(visit, sessions):
    client = visit("Mr Scribble")
    assert client.post("/edit/Quenn", data={"body": "Bananas.", "what": "save"}).status_code == 403
    assert client.post("/talk/Quenn/new", data={"title": "Hello", "body": "Hello."}).status_code == 403


def test_deleted_page_is_gone_and_its_links_are_for_a_new_one(visit, sessions):
    client = visit(ADMIN)
    linking = one(sessions, "SELECT title FROM links JOIN pages ON pages.id = page_id WHERE target = 'River Amber'")
    client.post("/delete/River_Amber")
    assert client.get("/wiki/River_Amber").status_code == 404
    assert 'href="/edit/River_Amber" class="missing"' in client.get(f"/wiki/{linking.replace(' ', '_')}").text


def test_nobody_reviews_or_thanks_themselves(visit, sessions):
    client = visit(EDITOR)
    mine = one(sessions, f"SELECT id FROM revisions WHERE author = '{EDITOR}'")
    sessions.database("default").execute("UPDATE revisions SET reviewed_by = NULL WHERE id = ?", (mine,))
    assert client.post(f"/revision/{mine}/thank").status_code == 403
    assert client.post(f"/revision/{mine}/review").status_code == 403


def test_changes_of_links_and_categories_do_not_count(visit, sessions):
    visit(EDITOR).post("/edit_categories/Quenn", data={"name": "Windy places"})
    assert set(sessions.changes("default")) == {"revisions"}
