package io.meshtransport.verbs;

/**
 * What RESET to INIT needs (man ibv_modify_qp).
 *
 * @param port number of the port, from 1
 * @param pkeyIndex partition, 0 on RoCE
 * @param access what the peer may do here, bits of {@link Access}
 */
public record InitAttributes(int port, int pkeyIndex, int access) {}
