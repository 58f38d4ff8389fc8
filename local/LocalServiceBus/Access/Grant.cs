namespace DroneDelivery.LocalServiceBus.Access;

/// <summary>What a client has proved that it may do.</summary>
/// <param name="Path">With the entity of this name, and what is below it; empty: with all.</param>
/// <param name="Rights">That it has there.</param>
/// <param name="EndsAt">Until then.</param>
internal readonly record struct Grant(string Path, AccessRights Rights, DateTimeOffset EndsAt)
{
    /// <param name="path">Of an entity; empty: the namespace.</param>
    /// <param name="anyOf">One of them is enough; Manage always is.</param>
    public bool Covers(string path, AccessRights anyOf) =>
        (Rights & (anyOf | AccessRights.Manage)) != 0 && Covers(path);

    private bool Covers(string path) =>
        Path.Length == 0
        || path.Equals(Path, StringComparison.OrdinalIgnoreCase)
        || (path.Length > Path.Length && path[Path.Length] == '/' && path.StartsWith(Path, StringComparison.OrdinalIgnoreCase));
}
