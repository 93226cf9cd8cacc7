package io.meshtransport.verbs;

/**
 * What RTR to RTS needs (man ibv_modify_qp).
 *
 * @param sendPsn the first packet sequence number used here, 24 bits: the peer's receivePsn
 * @param timeout code of the time to wait for an acknowledgement, 1 to 31: 4.096 us x 2^timeout
 *     (InfiniBand 1.4 section 9.7.6.1.3: the real wait is up to four times that). 0 would mean for
 *     ever and is refused.
 * @param retryCount tries after the first, 0 to 7
 * @param rnrRetry tries after the peer had no receive posted, 0 to 7; 7 means without end
 * @param maxReadAtomic own reads and atomics outstanding at once
 */
public record ReadyToSendAttributes(
    int sendPsn, int timeout, int retryCount, int rnrRetry, int maxReadAtomic) {
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
  }

  /** Nanoseconds a silent peer is waited for in all: (retryCount + 1) x 4.096 us x 2^timeout. */
  public long silenceNs() {
    return (retryCount + 1) * (4_096L << timeout);
  }
}
