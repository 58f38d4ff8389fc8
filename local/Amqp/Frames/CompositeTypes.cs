namespace DroneDelivery.Amqp;

/// <summary>What the specification calls the composite types and their fields (AMQP 1.0 §2.7, §2.8.14, §3.4, §3.5, §4.5, §5.3).</summary>
internal static class CompositeTypes
{
    private static readonly Dictionary<ulong, (string Name, string[] Fields)> Types = new()
    {
        [Open.Code] = Type(
            "open",
            """
            container-id hostname max-frame-size channel-max idle-time-out outgoing-locales incoming-locales offered-capabilities
            desired-capabilities properties
            """
        ),
        [Begin.Code] = Type(
            "begin",
            """
            remote-channel next-outgoing-id incoming-window outgoing-window handle-max offered-capabilities desired-capabilities properties
            """
        ),
        [Attach.Code] = Type(
            "attach",
            """
            name handle role snd-settle-mode rcv-settle-mode source target unsettled incomplete-unsettled initial-delivery-count
            max-message-size offered-capabilities desired-capabilities properties
            """
        ),
        [Flow.Code] = Type(
            "flow",
            """
            next-incoming-id incoming-window next-outgoing-id outgoing-window handle delivery-count link-credit available drain echo
            properties
            """
        ),
        [Transfer.Code] = Type(
            "transfer",
            """
            handle delivery-id delivery-tag message-format settled more rcv-settle-mode state resume aborted batchable
            """
        ),
        [Disposition.Code] = Type("disposition", "role first last settled state batchable"),
        [Detach.Code] = Type("detach", "handle closed error"),
        [End.Code] = Type("end", "error"),
        [Close.Code] = Type("close", "error"),
        [AmqpError.Code] = Type("error", "condition description info"),
        [Source.Code] = Type(
            "source",
            """
            address durable expiry-policy timeout dynamic dynamic-node-properties distribution-mode filter default-outcome outcomes
            capabilities
            """
        ),
        [Target.Code] = Type(
            "target",
            "address durable expiry-policy timeout dynamic dynamic-node-properties capabilities"
        ),
        [Coordinator.Code] = Type("coordinator", "capabilities"),
        [Received.Code] = Type("received", "section-number section-offset"),
        [Accepted.Code] = Type("accepted", ""),
        [Rejected.Code] = Type("rejected", "error"),
        [Released.Code] = Type("released", ""),
        [Modified.Code] = Type("modified", "delivery-failed undeliverable-here message-annotations"),
        [Declare.Code] = Type("declare", "global-id"),
        [Discharge.Code] = Type("discharge", "txn-id fail"),
        [Declared.Code] = Type("declared", "txn-id"),
        [TransactionalState.Code] = Type("transactional-state", "txn-id outcome"),
        [SaslMechanisms.Code] = Type("sasl-mechanisms", "sasl-server-mechanisms"),
        [SaslInit.Code] = Type("sasl-init", "mechanism initial-response hostname"),
        [SaslOutcome.Code] = Type("sasl-outcome", "code additional-data"),
    };

    // A peer may send symbolic descriptors in place of the numeric ones (AMQP 1.0 §1.5).
    private static readonly Dictionary<string, ulong> Numbers = new(
        Types.Select(type => KeyValuePair.Create($"amqp:{type.Value.Name}:list", type.Key))
    )
    {
        ["amqp:header:list"] = SectionCode.Header,
        ["amqp:delivery-annotations:map"] = SectionCode.DeliveryAnnotations,
        ["amqp:message-annotations:map"] = SectionCode.MessageAnnotations,
        ["amqp:properties:list"] = SectionCode.Properties,
        ["amqp:application-properties:map"] = SectionCode.ApplicationProperties,
        ["amqp:data:binary"] = SectionCode.Data,
        ["amqp:amqp-sequence:list"] = SectionCode.Sequence,
        ["amqp:amqp-value:*"] = SectionCode.Value,
        ["amqp:footer:map"] = SectionCode.Footer,
    };

    /// <returns>0: it is no descriptor of the specification's by name, and no number.</returns>
    public static ulong Number(object descriptor) =>
        descriptor is Symbol name ? Numbers.GetValueOrDefault(name.Value) : descriptor as ulong? ?? 0;

    /// <returns>A name made of the descriptor, and no fields, for one that no type has.</returns>
    public static (string Name, string[] Fields) Of(object descriptor) =>
        Types.TryGetValue(Number(descriptor), out var type)
            ? type
            : (descriptor is ulong ? $"0x{descriptor:x}" : $"{descriptor}", []);

    private static (string Name, string[] Fields) Type(string name, string fields) =>
        (name, fields.Split([' ', '\n', '\r'], StringSplitOptions.RemoveEmptyEntries));
}
