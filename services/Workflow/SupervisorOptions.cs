namespace DroneDelivery.Workflow;

/// <summary>Section <c>Workflow:Supervisor</c>.</summary>
internal sealed class SupervisorOptions
{
    /// <summary>
    /// Whether this process compensates failed requests and moves their messages from the dead-letter queue to
    /// <c>ServiceBus:FailedQueueName</c>. Otherwise, both the dead letters and the effects of their requests remain.
    /// </summary>
    public bool Enabled { get; set; } = true;
}
