import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from vault.consent import Consents
from vault.errors import ArticleExists, NotAllowed, ReadOnlyArticle, VaultError
from vault.history.commit import Committed
from vault.links.resolve import Found, Wanted
from vault.links.scan import find_links
from vault.saving import Outcome
from vault.vault import Vault, open_vault

PlainGit = Callable[..., str]


def test_an_edit_is_saved_and_in_the_history(wiki: Vault, git: PlainGit) -> None:
    base = wiki.read("articles/Welcome.md")
    assert base.text is not None
    written = wiki.save("articles/Welcome.md", base.text.replace("first page", "front page"), base)
    assert written.saved.outcome is Outcome.SAVED
    assert isinstance(written.commit, Committed)
    assert wiki.log("articles/Welcome.md")[0].sha == written.commit.sha
    assert wiki.log("articles/Welcome.md")[0].subject == "Edit Welcome"
    assert git(wiki.root, "status", "--porcelain") == ""
    again = wiki.save("articles/Welcome.md", "# Welcome\n", written.saved.file)
    assert again.saved.outcome is Outcome.SAVED, "the result of a save is the base of the next"


def test_an_unedited_save_makes_no_commit(wiki: Vault) -> None:
    base = wiki.read("articles/Welcome.md")
    assert base.text is not None
    written = wiki.save("articles/Welcome.md", base.text, base)
    assert (written.saved.outcome, written.commit) == (Outcome.UNCHANGED, None)
    assert len(wiki.log("articles/Welcome.md")) == 1


def test_a_conflict_copy_is_committed_and_the_other_side_is_not(wiki: Vault) -> None:
    base = wiki.read("articles/Welcome.md")
    (wiki.root / "articles/Welcome.md").write_text("theirs\n")
    written = wiki.save("articles/Welcome.md", "mine\n", base)
    assert written.saved.outcome is Outcome.CONFLICT_COPY
    assert isinstance(written.commit, Committed)
    assert wiki.read(written.saved.file.path).text == "mine\n"
    assert len(wiki.log("articles/Welcome.md")) == 1


def test_an_edit_through_a_link_is_committed_where_it_leads(wiki: Vault, git: PlainGit) -> None:
    (wiki.root / "articles/Alias.md").symlink_to("Welcome.md")
    base = wiki.read("articles/Alias.md")
    assert (base.path, base.real_path) == ("articles/Alias.md", "articles/Welcome.md")
    wiki.save("articles/Alias.md", "# Welcome\n\nnew\n", base)
    assert git(wiki.root, "show", "--name-only", "--format=", "HEAD") == "articles/Welcome.md\n"
    assert not isinstance(wiki.recover(), Committed)
    assert git(wiki.root, "status", "--porcelain") == "?? articles/Alias.md\n"


@pytest.mark.parametrize("folder", ["Reference", "Other", "", ".git", "..", "README.md"])
def test_new_pages_go_where_they_are_seen(wiki: Vault, folder: str) -> None:
    with pytest.raises(NotAllowed):
        wiki.create("x", folder=folder)


def test_a_wanted_page_is_created_and_then_found(wiki: Vault) -> None:
    page = "articles/Wikilinks.md"
    text = wiki.read(page).text
    assert text is not None
    (link,) = [link for link in find_links(text) if link.target == "My first article"]
    wanted = wiki.resolve(link, page)
    assert isinstance(wanted, Wanted)
    written = wiki.create(wanted.name)
    assert isinstance(written.commit, Committed)
    found = wiki.resolve(link, page)
    assert isinstance(found, Found)
    assert found.path == written.saved.file.path == "articles/My_first_article.md"
    assert written.saved.file.text == "# My first article\n\n"
    assert wiki.log(found.path)[0].subject == "Create My first article"
    with pytest.raises(ArticleExists):
        wiki.create("my FIRST article")


def test_reference_pages_are_read_only(wiki: Vault) -> None:
    page = wiki.read("Reference/Using_Zibaldone.md")
    assert page.is_read_only
    with pytest.raises(ReadOnlyArticle):
        wiki.save(page.path, "mine", page)
    (wiki.root / page.path).chmod(0o644)
    assert wiki.read(page.path).is_read_only


@pytest.mark.parametrize("path", ["../x.md", ".git/config", "/etc/passwd", "articles/x.txt", ""])
def test_no_path_leads_out(wiki: Vault, path: str) -> None:
    base = wiki.read("articles/Welcome.md")
    calls: list[Callable[[], object]] = [
        lambda: wiki.read(path),
        lambda: wiki.save(path, "x", base),
    ]
    for call in calls:
        with pytest.raises(NotAllowed):
            call()


def test_a_foreign_note_can_be_edited_and_created_without_a_commit(tmp_path: Path) -> None:
    consents = Consents(tmp_path.with_name("consents"))
    (tmp_path / "Daily").mkdir()
    (tmp_path / "Daily/a.md").write_text("# The Title\n")
    (tmp_path / "b.md").write_text("[[the title]]\n")
    notes = open_vault(tmp_path, consents)
    notes.agree()
    (link,) = find_links("[[the title]]")
    assert notes.resolve(link, "b.md") == Found("Daily/a.md", None, ("Daily/a.md",))
    written = notes.save("Daily/a.md", "# New\n", notes.read("Daily/a.md"))
    assert not isinstance(written.commit, Committed)
    assert notes.create("c", folder="Daily").saved.file.path == "Daily/c.md"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Daily", "b.md"]


def test_threads_may_save_at_the_same_time(wiki: Vault, git: PlainGit) -> None:
    failures: list[VaultError] = []

    def work(name: str) -> None:
        try:
            file = wiki.create(name).saved.file
            for number in range(3):
                written = wiki.save(file.path, f"# {name}\n\n{number}\n", file)
                assert isinstance(written.commit, Committed)
                file = written.saved.file
        except VaultError as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(f"page {number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(git(wiki.root, "log", "--format=%s").splitlines()) == 1 + 4 * 4
    assert git(wiki.root, "status", "--porcelain") == ""


def test_importing_the_vault_loads_nothing_slow_or_forbidden() -> None:
    script = "import sys, vault.vault, vault.watch; print(*sys.modules, sep='\\n')"
    modules = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    roots = {module.partition(".")[0] for module in modules}
    assert roots.isdisjoint(
        {"git", "gitdb", "markdown_it", "watchfiles", "textual", "rich", "mlx", "mlx_lm", "numpy"}
        | {"transformers", "engine", "tui", "themes", "anyio"}
    )


def test_only_one_module_knows_gitpython() -> None:
    package = Path(sys.modules["vault"].__path__[0])
    knowing = [
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if re.search(r"^\s*(?:from|import) git\b", path.read_text(), re.MULTILINE)
    ]
    assert knowing == ["history/git.py"]
