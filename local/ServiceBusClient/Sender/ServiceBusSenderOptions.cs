namespace Azure.Messaging.ServiceBus;

public class ServiceBusSenderOptions
{
    public string? Identifier { get; set; }
}
