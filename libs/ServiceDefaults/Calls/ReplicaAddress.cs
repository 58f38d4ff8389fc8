using System.Diagnostics.CodeAnalysis;

namespace DroneDelivery.ServiceDefaults.Calls;

/// <summary>The address of one replica: <c>http://HOST:PORT</c>.</summary>
public static class ReplicaAddress
{
    public const string Example = "http://127.0.0.1:5200";

    public static bool TryParse(string? text, [NotNullWhen(true)] out Uri? address) =>
        Uri.TryCreate(text, UriKind.Absolute, out address) && address is { Scheme: "http", AbsolutePath: "/" };
}
