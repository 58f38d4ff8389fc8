using System.Collections.Frozen;
using Microsoft.Extensions.Primitives;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>Headers that are about one connection and not about the message (RFC 9110, section 7.6.1).</summary>
internal static class HopByHop
{
    private static readonly FrozenSet<string> Names = FrozenSet.ToFrozenSet(
        [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization", "Proxy-Connection", "TE",
            "Trailer", "Transfer-Encoding", "Upgrade",
        ],
        StringComparer.OrdinalIgnoreCase);

    public static bool Is(string header) => Names.Contains(header);

    /// <summary>Whether the message's own Connection header names it.</summary>
    /// <remarks>Of a request's that has <c>close</c> or <c>keep-alive</c> the server shows nothing else.</remarks>
    public static bool IsNominated(string header, StringValues connection)
    {
        foreach (var line in connection)
        {
            foreach (var name in line.AsSpan().Split(','))
            {
                if (line.AsSpan(name).Trim().Equals(header, StringComparison.OrdinalIgnoreCase))
                    return true;
            }
        }
        return false;
    }
}
