namespace DroneDelivery.Contracts;

/// <summary>Body of the queue message <see cref="QueueMessage.Cancel"/>.</summary>
public sealed record CancelRequest
{
    [Id]
    public required string DeliveryId { get; init; }
}
