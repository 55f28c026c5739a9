#!/bin/bash
s=0; for i in $(seq 100); do s=$((s + i * i)); done; echo $s > /srv/answer.txt
