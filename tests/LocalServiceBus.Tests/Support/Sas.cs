using System.Security.Cryptography;

namespace DroneDelivery.LocalServiceBus.Tests.Support;

/// <summary>Shared access signatures in the form that SDKs create.</summary>
internal static class Sas
{
    public static string Token(
        string resource,
        DateTimeOffset expiresAt,
        string rule = "RootManageSharedAccessKey",
        string key = "SAS_KEY_VALUE"
    )
    {
        var escaped = Uri.EscapeDataString(resource);
        return $"SharedAccessSignature sr={escaped}&sig={Signature(escaped, expiresAt, key)}&se={expiresAt.ToUnixTimeSeconds()}&skn={rule}";
    }

    public static string Signature(string resource, DateTimeOffset expiresAt, string key = "SAS_KEY_VALUE")
    {
        var signed = Encoding.UTF8.GetBytes($"{resource}\n{expiresAt.ToUnixTimeSeconds()}");
        return Uri.EscapeDataString(Convert.ToBase64String(HMACSHA256.HashData(Encoding.UTF8.GetBytes(key), signed)));
    }
}
