# A repository with a fault, made by us, whose later history holds the repair.
set -e
printf '#!/bin/sh\nexec env PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python3 -m pytest "$@"\n' > /usr/local/bin/pytest
chmod +x /usr/local/bin/pytest
mkdir -p /testbed/src/tally /testbed/tests /r2e_tests
cd /testbed
git init -q -b main .
git config user.name Maintainer
git config user.email maintainer@example.org
cat > src/tally/__init__.py <<'PY'
"""Counts."""


def count(words):
    found = {}
    for word in words:
        found[word] = found.get(word, 0) + 2
    return found


def spread(numbers):
    return max(numbers) - min(numbers)
PY
printf '[pytest]\npythonpath = src\n' > pytest.ini
printf '*.log\nbuild/\n' > .gitignore
cat > tests/test_tally.py <<'PY'
import pytest
from tally import count, spread


@pytest.mark.parametrize("word", ["a b", "a c", "d"])
def test_keys(word):
    assert list(count([word])) == [word]


def test_spread():
    assert spread([3, 1, 2]) == 2


@pytest.mark.xfail(reason="one day")
def test_one_day():
    assert count("aa") == {"a": 3}


@pytest.mark.skip(reason="slow")
def test_slow():
    pass
PY
cat > tests/test_plain.py <<'PY'
import sys
import unittest

sys.path.insert(0, "src")
from tally import count


class Plain(unittest.TestCase):
    def test_empty(self):
        """Nothing is counted in nothing."""
        self.assertEqual(count([]), {})

    def test_one(self):
        self.assertEqual(count(["a"]), {"a": 1})
PY
git add -A
git commit -q -m "Count words"
git tag v1
sed -i 's/+ 2/+ 1/' src/tally/__init__.py
git commit -q -am "Count each word once"
git tag v2
git branch later
echo '# stashed: + 1' >> src/tally/__init__.py
git stash -q
git gc -q
git reset -q --hard v1
echo "notes of the image" > left_by_the_image.txt
cat > run_tests.sh <<'SH'
pytest -rA r2e_tests
SH
cat > /r2e_tests/test_1.py <<'PY'
from tally import count


class TestCount:
    def test_once(self):
        assert count("a") == {"a": 1}


def test_none():
    assert count("") == {}
PY
