#!/bin/bash
cp /solution/template.sh greet.sh
sed -i "s/GREETING/$GREETING/" greet.sh
chmod 755 greet.sh
