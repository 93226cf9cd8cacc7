// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.collectives.group;

/** What is known of a member whose connection was lost. */
interface MemberVerdicts {
  /** Of a member. */
  enum Verdict {
    /** Its node, or its process, is gone. */
    GONE,
    /** It lives, and no cable leads to it any more. */
    CUT_OFF,
    /** Nothing yet: it was heard a moment ago. */
    UNDECIDED
  }

  /** Where nothing but connections tells of members, one that is lost is all there is to know. */
  MemberVerdicts NONE = rank -> Verdict.GONE;

  /** Never blocks. */
  Verdict of(int rank);
}
