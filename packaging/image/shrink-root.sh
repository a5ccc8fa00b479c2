#!/bin/sh
# Removes from the root file system of the image what the server does not use. Nothing can be installed in the image afterwards: an
# upgrade is a new image. What remains is listed in /var/lib/dpkg/status, and its licenses in /usr/share/doc.
set -eu

# Tools of an interactive or bootable system, of other programs of git, and of installing packages.
unused='
  adduser apt bash bsdutils debconf debian-archive-keyring diffutils e2fsprogs gpgv init-system-helpers libapt-pkg6.0 libdb5.3
  libext2fs2 libgdbm-compat4 libgdbm6 liberror-perl libpam-modules libpam-modules-bin libpam-runtime libpam0g
  libperl5.36 libseccomp2 libsemanage-common libsemanage2 libsepol2 libss2 libxxhash0 login logsave mount ncurses-base ncurses-bin openssl
  passwd perl perl-base perl-modules-5.36 sysvinit-utils tzdata usr-is-merged usrmerge util-linux util-linux-extra
'
installed=$(for package in $unused; do dpkg-query --show --showformat '${Package}\n' "$package" 2> /dev/null || true; done)
# Scripts of packages must not run: they would need the packages that are removed with them.
for package in $installed; do
  rm -f "/var/lib/dpkg/info/$package".p*inst "/var/lib/dpkg/info/$package".p*rm \
    "/var/lib/dpkg/info/$package":*.p*inst "/var/lib/dpkg/info/$package":*.p*rm
done
dpkg --purge --force-depends --force-remove-essential --force-remove-protected $installed > /dev/null 2>&1

# Node without npm, yarn, headers and manuals.
cd /usr/local
rm -rf include lib/node_modules share/doc share/man share/systemtap CHANGELOG.md README.md /opt/yarn-*
for name in corepack docker-entrypoint.sh nodejs npm npx yarn yarnpkg; do rm -f "bin/$name"; done

# Programs that only serve repositories, send patches by mail or need Perl or Tcl.
cd /usr/lib/git-core
rm -f git-daemon git-http-backend git-http-push git-imap-send git-shell git-add--interactive git-archimport git-cvs* git-instaweb \
  git-p4 git-send-email git-svn git-web* scalar \
  /usr/bin/scalar /usr/bin/git-shell
rm -rf /usr/share/git-core/contrib /usr/share/perl* /usr/lib/*/perl* /usr/share/gitweb /usr/share/bash-completion

find /usr/share/doc -type f ! -name copyright -delete
rm -rf /usr/share/locale/* /usr/share/man /usr/share/info /usr/share/lintian /usr/share/zoneinfo /var/lib/apt /var/cache/* /var/log/* \
  /var/lib/dpkg/*-old /var/lib/dpkg/info/*.md5sums /etc/apt /tmp/* /root/.npm /root/.cache
