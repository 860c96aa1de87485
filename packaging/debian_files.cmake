# SPDX-License-Identifier: Apache-2.0
# CPack runs this file once all files are in place. It adds what only Debian requires: compressed changelogs, and a
# lintian override because there is no bug report to close.
set(share ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr/share)
set(documents ${share}/doc/verbund)
configure_file(${CPACK_VERBUND_SOURCE}/CHANGELOG.md ${documents}/changelog COPYONLY)
file(WRITE ${documents}/changelog.Debian
     "verbund (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium\n\n"
     "  * Packaged from commit ${CPACK_VERBUND_COMMIT}; changelog.gz lists the changes.\n\n"
     " -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${CPACK_VERBUND_DATE}\n")
execute_process(COMMAND gzip -9nf ${documents}/changelog ${documents}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
file(WRITE ${share}/lintian/overrides/verbund "verbund: initial-upload-closes-no-bugs\n")
