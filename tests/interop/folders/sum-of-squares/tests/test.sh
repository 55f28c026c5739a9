#!/bin/bash
source /tests/expected.sh
[ "$(tr -d ' \n' < /srv/answer.txt 2>/dev/null)" = "$expected" ] && echo 1.0 || echo 0.0
[ "$(tr -d ' \n' < /srv/answer.txt 2>/dev/null)" = "$expected" ] && echo 1.0 > /logs/verifier/reward.txt || echo 0.0 > /logs/verifier/reward.txt
