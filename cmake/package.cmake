# SPDX-License-Identifier: Apache-2.0
# The Debian package, by CPack: `make deb`. Its version is completed with the commit when it is packed, and so are
# the files that Debian asks for: see packaging/version.cmake and packaging/debian_files.cmake.
set(VERBUND_MAINTAINER "The Verbund authors <verbund@example.org>" CACHE STRING "maintainer of the Debian package")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME verbund)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${VERBUND_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "openmpi-bin, ca-certificates")  # launch runs mpirun; corpora come by https
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "openssh-client, python3")  # python3 parses configs of OpenSeq2Seq
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openssh-server, rsync, tmux")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "trains neural machine translation models on one machine or many
Raw parallel text becomes a clean dataset; one worker, or many on several
hosts, train a Transformer on CPUs, evaluate it with real translations, keep
the best checkpoints, and resume after a crash with the same bits. Trained models
translate with beam search, are averaged, scored with BLEU and chrF, exported
to CTranslate2, and served over HTTP to clients of LibreTranslate. A live page
in the browser shows the runs.")

set(CPACK_VERBUND_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/packaging/version.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/debian_files.cmake)
include(CPack)
