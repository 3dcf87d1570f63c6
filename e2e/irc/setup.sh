#!/bin/sh
# Unpacks the IRC servers of Debian that tests talk to, once, without installing them (their packages would start
# services): ngircd, and inspircd with the services of atheme, which know SASL. Makes a certificate for them, and prints
# the directory of all that: the value for ASYNCAI_IRC.
set -eu

packages="ngircd libident inspircd atheme-services"
cache="${ASYNCAI_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/asyncai}/irc"
mkdir -p "$cache"
cd "$cache"

download() {
    # shellcheck disable=SC2086  # several packages
    apt-get download $packages >"$cache/download.log" 2>&1
}

# program NAME: a script that runs it with the libraries that were unpacked with it.
program() {
    libraries=$(dirname "$(find "$PWD/root" -name 'libident.so.0')")
    file=$(find "$PWD/root" -path "*bin/$1" -type f)
    printf '#!/bin/sh\nLD_LIBRARY_PATH=%s exec %s "$@"\n' "$libraries" "$file" >"$1"
    chmod +x "$1"
}

if [ "$(cat unpacked 2>/dev/null)" != "$packages" ]; then
    command -v apt-get >/dev/null || { echo "this is no Debian or Ubuntu, whose IRC servers the tests use" >&2; exit 1; }
    rm -rf part && mkdir part
    (cd part && { download || { apt-get update >"$cache/update.log" 2>&1 && download; }; } &&
        for package in *.deb; do dpkg-deb -x "$package" .; done) || { cat "$cache/download.log" >&2; exit 1; }
    rm -rf root && mv part root
    for name in ngircd inspircd atheme-services; do
        program "$name"
    done
    ln -sfn "$(find "$PWD/root" -path '*/inspircd/modules' -type d)" inspircd-modules
    ln -sfn "$(find "$PWD/root" -path '*/atheme/modules' -type d)" atheme-modules
    echo "$packages" >unpacked
fi
if ! [ -e certificate.pem ]; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE \
        -keyout key.pem -out certificate.part >openssl.log 2>&1 || { cat openssl.log >&2; exit 1; }
    mv certificate.part certificate.pem
fi
echo "$cache"
