using System.Diagnostics;
using DroneDelivery.Amqp;
using DroneDelivery.LocalServiceBus.Entities;

namespace DroneDelivery.LocalServiceBus.Wire;

internal static class Outcome
{
    /// <summary>Returns <c>null</c> if the state isn't an outcome.</summary>
    public static Settlement? ToSettlement(DeliveryState? state) =>
        state switch
        {
            Accepted => Settlement.Complete,
            Released => Settlement.Release,
            // SDKs don't set delivery-failed when they abandon, but the delivery counts.
            Modified { UndeliverableHere: true } modified => new Settlement.Deferred(
                Properties(modified.MessageAnnotations)
            ),
            Modified modified => new Settlement.Abandoned(Properties(modified.MessageAnnotations)),
            Rejected { Error: null } => new Settlement.DeadLettered(),
            Rejected { Error: { } error } => DeadLetter(error),
            null or Received or Declared or TransactionalState => null,
            _ => throw new UnreachableException($"Unexpected delivery state {state}."),
        };

    /// <summary>Returns the response to an outcome: the outcome itself. A rejection is returned without its error,
    /// which the SDK would report as a failure.</summary>
    public static DeliveryState Echo(DeliveryState outcome) =>
        outcome switch
        {
            Accepted or Released => outcome,
            Rejected => Rejected.Bare,
            Modified modified => modified with { MessageAnnotations = null },
            _ => throw new UnreachableException($"Unexpected outcome {outcome}."),
        };

    private static Settlement.DeadLettered DeadLetter(AmqpError error)
    {
        // Other conditions come from plain AMQP clients; use the error as the dead-letter reason.
        if (error.Condition != ServiceBusErrors.DeadLetter)
            return new(error.Condition.Value, error.Description, Properties(error.Info));
        var properties = Properties(error.Info) ?? [];
        properties.Remove(DeadLetterReason.Property, out var reason);
        properties.Remove(DeadLetterReason.DescriptionProperty, out var description);
        return new(reason as string, description as string ?? error.Description, properties);
    }

    private static Dictionary<string, object?>? Properties(Dictionary<Symbol, object?>? map) =>
        map?.ToDictionary(entry => entry.Key.Value, entry => DescribedProperty.FromAmqp(entry.Value));
}
