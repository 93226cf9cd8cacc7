package io.meshtransport.transport;

/**
 * What all links of a transport have in common, from the configuration.
 *
 * @param mtuBytes largest path MTU to use
 * @param trafficClass IP type of service
 * @param serviceLevel of InfiniBand and PFC
 * @param ackTimeout code: 4.096 us x 2^code
 * @param retryCount tries after the first
 * @param rnrRetry tries after an empty receive queue
 */
record LinkSettings(
    int mtuBytes,
    int trafficClass,
    int serviceLevel,
    int ackTimeout,
    int retryCount,
    int rnrRetry) {
  /** The same with another number of tries after an empty receive queue. */
  LinkSettings withRnrRetry(int times) {
    return new LinkSettings(mtuBytes, trafficClass, serviceLevel, ackTimeout, retryCount, times);
  }

  /**
   * Peers are one cable away; the field's tools use 64, the usual default of IP hosts (RFC 1700).
   */
  static final int HOP_LIMIT = 64;

  /** Channels use no reads or atomics yet; at least 1 is what every device grants. */
  static final int MAX_READ_ATOMIC = 1;

  /**
   * Code 12, 0.64 ms (InfiniBand 1.4 table 46). Never used in steady state: receives are always
   * posted.
   */
  static final int MIN_RNR_TIMER = 12;
}
