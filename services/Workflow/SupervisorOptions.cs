namespace DroneDelivery.Workflow;

/// <summary>Section <c>Workflow:Supervisor</c>.</summary>
internal sealed class SupervisorOptions
{
    /// <summary>
    /// Whether this process compensates the requests of dead letters, records that they have failed and moves the message to
    /// <c>ServiceBus:FailedQueueName</c>. Otherwise dead letters stay where they are, and so does what their requests have made.
    /// </summary>
    public bool Enabled { get; set; } = true;
}
