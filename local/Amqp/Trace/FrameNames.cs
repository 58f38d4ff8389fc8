namespace DroneDelivery.Amqp;

/// <summary>What the specification calls the composite types of a frame and their fields (AMQP 1.0 §2.7, §3.4, §3.5, §4.5, §5.3).</summary>
internal static class FrameNames
{
    private static readonly Dictionary<ulong, (string Name, string[] Fields)> Types = new()
    {
        [Open.Code] = ("open", Split("""
            container-id hostname max-frame-size channel-max idle-time-out outgoing-locales incoming-locales offered-capabilities
            desired-capabilities properties
            """)),
        [Begin.Code] = ("begin", Split("""
            remote-channel next-outgoing-id incoming-window outgoing-window handle-max offered-capabilities desired-capabilities properties
            """)),
        [Attach.Code] = ("attach", Split("""
            name handle role snd-settle-mode rcv-settle-mode source target unsettled incomplete-unsettled initial-delivery-count
            max-message-size offered-capabilities desired-capabilities properties
            """)),
        [Flow.Code] = ("flow", Split("""
            next-incoming-id incoming-window next-outgoing-id outgoing-window handle delivery-count link-credit available drain echo
            properties
            """)),
        [Transfer.Code] = ("transfer", Split("""
            handle delivery-id delivery-tag message-format settled more rcv-settle-mode state resume aborted batchable
            """)),
        [Disposition.Code] = ("disposition", Split("role first last settled state batchable")),
        [Detach.Code] = ("detach", Split("handle closed error")),
        [End.Code] = ("end", Split("error")),
        [Close.Code] = ("close", Split("error")),
        [AmqpError.Code] = ("error", Split("condition description info")),
        [Source.Code] = ("source", Split("""
            address durable expiry-policy timeout dynamic dynamic-node-properties distribution-mode filter default-outcome outcomes
            capabilities
            """)),
        [Target.Code] = ("target", Split("address durable expiry-policy timeout dynamic dynamic-node-properties capabilities")),
        [Coordinator.Code] = ("coordinator", Split("capabilities")),
        [Received.Code] = ("received", Split("section-number section-offset")),
        [Accepted.Code] = ("accepted", []),
        [Rejected.Code] = ("rejected", Split("error")),
        [Released.Code] = ("released", []),
        [Modified.Code] = ("modified", Split("delivery-failed undeliverable-here message-annotations")),
        [Declared.Code] = ("declared", Split("txn-id")),
        [TransactionalState.Code] = ("transactional-state", Split("txn-id outcome")),
        [SaslMechanisms.Code] = ("sasl-mechanisms", Split("sasl-server-mechanisms")),
        [SaslInit.Code] = ("sasl-init", Split("mechanism initial-response hostname")),
        [SaslOutcome.Code] = ("sasl-outcome", Split("code additional-data")),
    };

    /// <returns>A name made of the number, and no fields, for a type that a frame does not have.</returns>
    public static (string Name, string[] Fields) Of(ulong descriptor) =>
        Types.TryGetValue(descriptor, out var type) ? type : ($"0x{descriptor:x}", []);

    /// <inheritdoc cref="Of"/>
    public static (string Name, string[] Fields) OfSymbol(string? descriptor) =>
        descriptor is not null && Descriptors.Number(descriptor) is not 0 and var number ? Of(number) : (descriptor ?? "?", []);

    private static string[] Split(string names) => names.Split([' ', '\n', '\r'], StringSplitOptions.RemoveEmptyEntries);
}
