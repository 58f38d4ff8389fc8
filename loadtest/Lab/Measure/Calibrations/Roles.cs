namespace DroneDelivery.Lab.Measure;

/// <summary>Which service a name of a role, or of a host that is called, means.</summary>
internal static class Roles
{
    private static readonly char[] EndsOfName = ['.', ':', '/', '|', ' '];

    /// <summary>
    /// Whether the name's first part is the service's, or ends with it: <c>package</c>, <c>drone-delivery-package.svc:80</c>.
    /// </summary>
    public static bool Is(string name, string service)
    {
        var end = name.IndexOfAny(EndsOfName);
        var first = end < 0 ? name : name[..end];
        return first.Equals(service, StringComparison.OrdinalIgnoreCase)
            || first.EndsWith("-" + service, StringComparison.OrdinalIgnoreCase);
    }
}
