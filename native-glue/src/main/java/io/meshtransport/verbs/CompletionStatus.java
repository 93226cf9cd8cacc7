// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.verbs;

/**
 * The outcome of a work request; codes of enum ibv_wc_status (man ibv_poll_cq), meanings of
 * InfiniBand 1.4 section 10.10.3.
 */
public enum CompletionStatus {
  SUCCESS(0, "done"),
  LOC_LEN_ERR(
      1, "a message was longer than the receive posted for it, or than the port's largest message"),
  LOC_QP_OP_ERR(2, "the queue pair could not carry out the request"),
  LOC_PROT_ERR(4, "a local buffer is not registered, out of bounds, or not writable"),
  WR_FLUSH_ERR(
      5, "the queue pair failed or was closed before this request began; see the first error"),
  BAD_RESP_ERR(7, "the peer's answer to a read or an atomic is not the one requested"),
  REM_INV_REQ_ERR(
      9, "the peer refused the request as malformed, for example longer than its receive"),
  REM_ACCESS_ERR(10, "the peer refused the remote key, the bounds or the access rights"),
  REM_OP_ERR(11, "the peer could not finish the request"),
  RETRY_EXC_ERR(
      12,
      "the peer did not answer within the queue pair's timeout and retries: host, process or cable is gone"),
  RNR_RETRY_EXC_ERR(13, "the peer had no receive posted, for as long as rnr_retry allows"),
  FATAL_ERR(19, "the device failed"),
  GENERAL_ERR(21, "the device reports a failure of no known kind");

  private static final CompletionStatus[] BY_CODE = new CompletionStatus[32];

  static {
    for (CompletionStatus status : values()) {
      BY_CODE[status.code] = status;
    }
  }

  private final int code;
  private final String meaning;

  CompletionStatus(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /** Number in struct ibv_wc. */
  public int code() {
    return code;
  }

  /** A clause for users. */
  public String meaning() {
    return meaning;
  }

  /** The status of a number in struct ibv_wc; GENERAL_ERR for those this library never meets. */
  public static CompletionStatus ofCode(int code) {
    CompletionStatus status = code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    return status == null ? GENERAL_ERR : status;
  }
}
