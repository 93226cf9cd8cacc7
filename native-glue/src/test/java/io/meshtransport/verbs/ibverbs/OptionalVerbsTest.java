// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.meshtransport.verbs.AtomicScope;
import io.meshtransport.verbs.ForkSafety;
import io.meshtransport.verbs.Refusals;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Functions that a library may lack, and what their numbers mean.
 *
 * <p>Also tests {@link DataOrderVerb}, {@link DmaBufVerb} and {@link ForkVerb}.
 */
class OptionalVerbsTest {
  @Test
  void shouldDoWithoutFunctionsThatTheLibraryLacks() {
    // The library of mathematics has none of them.
    assertEquals(
        new OptionalVerbs(Optional.empty(), Optional.empty(), Optional.empty()),
        OptionalVerbs.of("libm.so.6"));
  }

  @ParameterizedTest
  @CsvSource({"0, DISABLED", "1, ENABLED", "2, UNNEEDED", "3, UNKNOWN", "-1, UNKNOWN"})
  void shouldNumberForkSafetyAsInVerbsH(int code, ForkSafety safety) {
    assertEquals(safety, ForkSafety.ofCode(code));
  }

  @ParameterizedTest
  @CsvSource({"0, NONE", "1, DEVICE", "2, SYSTEM", "3, NONE"})
  void shouldNumberAtomicsAsInVerbsH(int code, AtomicScope scope) {
    assertEquals(scope, AtomicScope.ofCode(code));
  }

  @ParameterizedTest
  @CsvSource({"-1, 0, 1, 9", "3, -1, 1, 22", "3, 0, 0, 22", "3, 9223372036854775807, 1, 22"})
  void shouldRefuseWhatCannotBeAPieceOfADmaBuf(
      int fileDescriptor, long offsetBytes, long lengthBytes, int errno) {
    Refusals.expectErrno(errno, () -> DmaBuf.of(fileDescriptor, offsetBytes, lengthBytes));
  }
}
