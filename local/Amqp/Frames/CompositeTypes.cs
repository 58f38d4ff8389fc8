namespace DroneDelivery.Amqp;

/// <summary>Maps symbolic descriptors of composite types and message sections to numeric ones (AMQP 1.0
/// §1.3).</summary>
internal static class CompositeTypes
{
    private static readonly Dictionary<string, ulong> Numbers = new()
    {
        ["amqp:open:list"] = Open.Code,
        ["amqp:begin:list"] = Begin.Code,
        ["amqp:attach:list"] = Attach.Code,
        ["amqp:flow:list"] = Flow.Code,
        ["amqp:transfer:list"] = Transfer.Code,
        ["amqp:disposition:list"] = Disposition.Code,
        ["amqp:detach:list"] = Detach.Code,
        ["amqp:end:list"] = End.Code,
        ["amqp:close:list"] = Close.Code,
        ["amqp:error:list"] = AmqpError.Code,
        ["amqp:source:list"] = Source.Code,
        ["amqp:target:list"] = Target.Code,
        ["amqp:coordinator:list"] = Coordinator.Code,
        ["amqp:received:list"] = Received.Code,
        ["amqp:accepted:list"] = Accepted.Code,
        ["amqp:rejected:list"] = Rejected.Code,
        ["amqp:released:list"] = Released.Code,
        ["amqp:modified:list"] = Modified.Code,
        ["amqp:declare:list"] = Declare.Code,
        ["amqp:discharge:list"] = Discharge.Code,
        ["amqp:declared:list"] = Declared.Code,
        ["amqp:transactional-state:list"] = TransactionalState.Code,
        ["amqp:sasl-mechanisms:list"] = SaslMechanisms.Code,
        ["amqp:sasl-init:list"] = SaslInit.Code,
        ["amqp:sasl-outcome:list"] = SaslOutcome.Code,
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

    public static ulong Number(object descriptor) =>
        descriptor is Symbol name ? Numbers.GetValueOrDefault(name.Value) : descriptor as ulong? ?? 0;
}
