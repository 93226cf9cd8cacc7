// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.function.Executable;

/** What tests say about set-up calls that must fail. */
public final class Refusals {
  private Refusals() {}

  /** The call is refused with this errno. */
  public static VerbsException expectErrno(int errno, Executable call) {
    VerbsException refusal = assertThrows(VerbsException.class, call);
    assertEquals(errno, refusal.errno(), refusal.getMessage());
    return refusal;
  }
}
