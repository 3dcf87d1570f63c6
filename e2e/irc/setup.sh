#!/bin/sh
# Unpacks Debian's ngircd, once, without installing it (its package would start a service), makes a certificate for it,
# and prints the directory of both: the value for ASYNCAI_IRC.
set -eu

cache="${ASYNCAI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/asyncai}/irc"
mkdir -p "$cache"
cd "$cache"

download() {
    apt-get download ngircd libident >"$cache/download.log" 2>&1
}

if ! [ -x ngircd ]; then
    command -v apt-get >/dev/null || { echo "this is no Debian or Ubuntu: put a program ngircd into $cache" >&2; exit 1; }
    rm -rf part && mkdir part
    (cd part && { download || { apt-get update >"$cache/update.log" 2>&1 && download; }; } &&
        for package in *.deb; do dpkg-deb -x "$package" .; done) || { cat "$cache/download.log" >&2; exit 1; }
    rm -rf root && mv part root
    libraries=$(dirname "$(find "$PWD/root" -name 'libident.so.0')")
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s/root/usr/sbin/ngircd "$@"\n' "$libraries" "$PWD" >ngircd.part
    chmod +x ngircd.part
    mv ngircd.part ngircd
fi
if ! [ -e certificate.pem ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE \
        -keyout key.pem -out certificate.part >openssl.log 2>&1 || { cat openssl.log >&2; exit 1; }
    mv certificate.part certificate.pem
fi
echo "$cache"
