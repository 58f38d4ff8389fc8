namespace DroneDelivery.Workflow;

internal sealed class SupervisorOptions
{
    /// <summary>
    /// Whether this process compensates failed requests and moves their messages from the dead-letter queue to
    /// <c>ServiceBus:FailedQueueName</c>.
    /// </summary>
    public bool Enabled { get; set; } = true;
}
