namespace DroneDelivery.Amqp;

/// <summary>Symbolic descriptors, which a peer may send instead of the numeric ones (AMQP 1.0 §1.5).</summary>
internal static class Descriptors
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
        ["amqp:received:list"] = Received.Code,
        ["amqp:accepted:list"] = Accepted.Code,
        ["amqp:rejected:list"] = Rejected.Code,
        ["amqp:released:list"] = Released.Code,
        ["amqp:modified:list"] = Modified.Code,
        ["amqp:source:list"] = Source.Code,
        ["amqp:target:list"] = Target.Code,
        ["amqp:coordinator:list"] = Coordinator.Code,
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

    public static ulong Number(Symbol descriptor) => Numbers.GetValueOrDefault(descriptor.Value);
}
