using DroneDelivery.Amqp;

namespace DroneDelivery.Testing.Amqp;

public static class TransactionCommands
{
    /// <summary>The value that the body of a message has for it.</summary>
    public static DescribedValue ToValue(this TransactionCommand command) =>
        command switch
        {
            Declare declare => new(Declare.Code, new List<object?> { declare.GlobalId }),
            Discharge discharge => new(Discharge.Code, new List<object?> { discharge.TxnId, discharge.Fail }),
            _ => throw new ArgumentException($"{command} is no command.", nameof(command)),
        };
}
