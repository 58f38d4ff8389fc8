namespace DroneDelivery.Tracking.Writing;

/// <summary>Told what became of each hit that <see cref="StoreBatch"/> was given.</summary>
internal interface IHitOutcome
{
    Task StoredAsync(IReadOnlyList<Hit> hits);

    /// <summary>The table server will never take it.</summary>
    Task RefusedAsync(Hit hit, string reason);
}
