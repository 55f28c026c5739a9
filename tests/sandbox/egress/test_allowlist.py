"""Allowlists: what an entry means, and which addresses a listed name may stand for."""

import ipaddress

import pytest

from agentgym.errors import ConfigError
from agentgym.sandbox.egress.allowlist import Allowlist, canonical_host, is_public


def test_a_host_without_port_means_http_and_https():
    allowlist = Allowlist(["Example.com"])
    assert allowlist.names("example.com", 80)
    assert allowlist.names("example.com", 443)
    assert not allowlist.names("example.com", 22)


def test_a_port_is_that_port_alone():
    allowlist = Allowlist(["example.com:8080"])
    assert allowlist.names("example.com", 8080)
    assert not allowlist.names("example.com", 443)


def test_a_wildcard_is_what_lies_below_it():
    allowlist = Allowlist(["*.example.com", "*.other.org:99"])
    assert allowlist.names("a.example.com", 443)
    assert allowlist.names("a.b.example.com", 443)
    assert allowlist.names("x.other.org", 99)
    for host in ("example.com", "badexample.com", "example.com.evil.org", "a.example.com.evil.org"):
        assert not allowlist.names(host, 443), host
    assert not allowlist.names("x.other.org", 443)


@pytest.mark.parametrize("entry", ["example.com:0", "example.com:70000", "*.1.2.3.4", "-a.com", "a..b", "1.2.3", "*."])
def test_an_entry_that_is_none_is_refused(entry):
    with pytest.raises(ConfigError, match="allowed host"):
        Allowlist([entry])


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("EXAMPLE.com.", "example.com"),
        ("[2606:4700::1111]", "2606:4700::1111"),
        ("[2606:4700:0::1111]", "2606:4700::1111"),
        ("8.8.8.8", "8.8.8.8"),
        # What a resolver takes for an address though it does not look like one.
        ("127.1", None),
        ("2130706433", None),
        ("0x7f000001", None),
        ("0x7f.0.0.1", None),
        ("0177.0.0.1", None),
        ("a b", None),
        ("a/b", None),
        ("a%2e", None),
        ("", None),
        ("bücher.de", None),
        ("a" * 300, None),
    ],
)
def test_a_host_has_one_form(text, host):
    assert canonical_host(text) == host


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "198.18.0.1",
        "224.0.0.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "fe80::1",
        "fe80::1%eth0",
        "2606:4700::1111%eth0",
        "fd00:ec2::254",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "64:ff9b:1::808:808",
        "2002:7f00:1::",
        "2001:0:7f00:1::",
        "2001:db8::1",
    ],
)
def test_a_special_address_is_not_public_in_any_wrapping(address):
    assert not is_public(ipaddress.ip_address(address))
    assert Allowlist(["example.com", "*.example.com"]).addresses("example.com", 443, [address]) == []


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_a_public_address_is_public(address):
    assert is_public(ipaddress.ip_address(address))


def test_a_listed_name_does_not_list_a_private_address_but_the_address_does():
    found = ["10.0.0.5", "8.8.8.8", "10.0.0.6", "nonsense"]
    assert Allowlist(["mirror.test"]).addresses("mirror.test", 80, found) == ["8.8.8.8"]
    listed = Allowlist(["mirror.test", "10.0.0.5"])
    assert listed.addresses("mirror.test", 80, found) == ["10.0.0.5", "8.8.8.8"]
    assert listed.addresses("mirror.test", 8080, ["10.0.0.5"]) == [], "another port than the listed ones"


def test_localhost_means_loopback_where_it_is_listed():
    allowlist = Allowlist(["localhost:8000"])
    assert allowlist.addresses("localhost", 8000, ["127.0.0.1", "::1", "10.0.0.1"]) == ["127.0.0.1", "::1"]


def test_a_wildcard_never_names_an_address():
    assert not Allowlist(["*.test"]).names("1.2.3.4", 80)
