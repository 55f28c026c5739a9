#!/bin/sh
echo GREETING
