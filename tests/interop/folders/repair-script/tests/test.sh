#!/bin/bash
said=$(./greet.sh 2>/dev/null)
runs=0; right=0
[ -x greet.sh ] && runs=1
[ "$said" = "$EXPECTED" ] && right=1
echo "{\"reward\": $((runs * right)), \"runs\": $runs, \"right\": $right}" > /logs/verifier/reward.json
