// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The attributes of RTR to RTS (man ibv_modify_qp).
 *
 * @param sendPsn the first packet sequence number used here, 24 bits: the peer's receivePsn
 * @param timeout code of the time to wait for an acknowledgement, 1 to 31: 4.096 us x 2^timeout
 *     (InfiniBand 1.4 section 9.7.6.1.3: the real wait is up to four times that). 0 would mean for
 *     ever and is refused.
 * @param retryCount tries after the first, 0 to 7
 * @param rnrRetry tries after the peer had no receive posted, 0 to 7; 7 means without end
 * @param maxReadAtomic own reads and atomics outstanding at once
 * @param softSilenceNs for queue pairs in software only, in place of timeout and retryCount: max
 *     silence of the peer's host while the kernel's TCP retransmits, which it does at a pace of its
 *     own
 */
public record ReadyToSendAttributes(
    int sendPsn, int timeout, int retryCount, int rnrRetry, int maxReadAtomic, long softSilenceNs) {
  /** TCP repeats after 0.2, 0.6 and 1.4 s on a cable (RFC 6298, with Linux' least RTO of 0.2 s). */
  public static final long SOFT_SILENCE_NS = 2_000_000_000L;

  public ReadyToSendAttributes {
    if (sendPsn < 0 || sendPsn > ReadyToReceiveAttributes.MAX_24_BITS) {
      throw new IllegalArgumentException("PSN " + sendPsn + " must fit 24 bits");
    }
    if (timeout < 1 || timeout > 31) {
      throw new IllegalArgumentException(
          "timeout code " + timeout + " is outside 1..31; 0 would wait for ever");
    }
    if (retryCount < 0 || retryCount > 7 || rnrRetry < 0 || rnrRetry > 7) {
      throw new IllegalArgumentException(
          "retry count " + retryCount + " and RNR retry " + rnrRetry + " must be 0 to 7");
    }
    if (softSilenceNs < 1) {
      throw new IllegalArgumentException("a silence of " + softSilenceNs + " ns");
    }
  }

  /** With the usual silence of software. */
  public ReadyToSendAttributes(
      int sendPsn, int timeout, int retryCount, int rnrRetry, int maxReadAtomic) {
    this(sendPsn, timeout, retryCount, rnrRetry, maxReadAtomic, SOFT_SILENCE_NS);
  }

  /**
   * Nanoseconds an adapter waits for a silent peer in all: (retryCount + 1) x 4.096 us x 2^timeout.
   */
  public long silenceNs() {
    return (retryCount + 1) * (4_096L << timeout);
  }
}
