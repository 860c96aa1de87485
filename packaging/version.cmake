# SPDX-License-Identifier: Apache-2.0
# CPack reads this file when it packs. It turns 0.2.0 into 0.2.0+git20261116.5605ab8b2c: the day and id of the commit.
if(EXISTS ${CPACK_VERBUND_SOURCE}/.git)
  execute_process(COMMAND git log -1 --abbrev=10 "--format=%cs;%h;%cD" WORKING_DIRECTORY ${CPACK_VERBUND_SOURCE}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  list(POP_FRONT commit day CPACK_VERBUND_COMMIT CPACK_VERBUND_DATE)
  string(REPLACE "-" "" day ${day})
  string(APPEND CPACK_PACKAGE_VERSION "+git${day}.${CPACK_VERBUND_COMMIT}")
else()  # a source archive
  set(CPACK_VERBUND_COMMIT unknown)
  string(TIMESTAMP CPACK_VERBUND_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
