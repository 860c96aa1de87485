# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where: the program, configurations and corpora, documents, and, if there is a
# Python to make them, manual pages and the completion for bash.
include(GNUInstallDirs)

install(TARGETS verbund RUNTIME)
install(DIRECTORY configs corpora DESTINATION ${CMAKE_INSTALL_DATADIR}/verbund FILES_MATCHING PATTERN "*.yaml")
install(FILES README.md packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        FILES_MATCHING PATTERN "*.md" PATTERN "*.py" PATTERN "*.png" PATTERN "*.svg" PATTERN "*.json")
install(DIRECTORY deploy DESTINATION ${CMAKE_INSTALL_DOCDIR} USE_SOURCE_PERMISSIONS)
install(FILES packaging/verbund-train@.service packaging/verbund-serve@.service packaging/verbund-board.service
        DESTINATION lib/systemd/user)

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(manual ${CMAKE_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/completions/verbund
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/packaging/manual.py $<TARGET_FILE:verbund> ${manual}
    DEPENDS verbund packaging/manual.py COMMENT "Making manual pages and completion")
  add_custom_target(manual ALL DEPENDS ${manual}/completions/verbund)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
  install(DIRECTORY ${manual}/completions DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion OPTIONAL)
endif()
