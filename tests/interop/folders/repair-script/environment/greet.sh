#!/bin/sh
echo helo wrld
