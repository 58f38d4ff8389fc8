using System.Buffers;
using System.Collections.Frozen;
using System.Diagnostics;
using System.Net.Http.Headers;
using DroneDelivery.Gateway.Policies;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using HeaderNames = Microsoft.Net.Http.Headers.HeaderNames;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>The request as the backend gets it.</summary>
internal static class ForwardedRequest
{
    private const string Backend = "http://ingestion";

    private static readonly FrozenSet<string> Ours = FrozenSet.ToFrozenSet(
        [HeaderNames.Host, HeaderNames.Expect, HeaderNames.ContentLength, HeaderNames.Baggage, RequireKey.Header, "Forwarded"],
        StringComparer.OrdinalIgnoreCase);

    private static readonly UriCreationOptions AsItIs = new() { DangerousDisablePathAndQueryCanonicalization = true };

    // Kestrel has decoded the path once and taken its dots away. Decoded a second time by somebody, what is left could be another path.
    private static readonly SearchValues<char> Ambiguous = SearchValues.Create("%\\");

    // Most requests are POSTs to one address.
    private static volatile Address? _last;

    /// <returns>Null: its path could mean one thing here and another there.</returns>
    public static HttpRequestMessage? Of(HttpContext context, Silence silence)
    {
        var request = context.Request;
        if (request.Path.Value.AsSpan().ContainsAny(Ambiguous) || request.QueryString.Value.AsSpan().ContainsAnyInRange('\0', ' '))
            return null;
        var forwarded = new HttpRequestMessage(HttpMethod.Parse(request.Method), AddressOf(request.Path, request.QueryString.Value));
        if (context.Features.Get<IHttpRequestBodyDetectionFeature>() is { CanHaveBody: true })
            forwarded.Content = new ForwardedBody(request, silence);
        CopyHeaders(request, forwarded);
        AddForwarded(context, forwarded);
        return forwarded;
    }

    private static Uri AddressOf(PathString path, string? query)
    {
        if (_last is { } last && last.Path == path.Value && last.Query == query)
            return last.Uri;
        var uri = new Uri($"{Backend}{path.ToUriComponent()}{query}", AsItIs);
        _last = new(path.Value, query, uri);
        return uri;
    }

    private static void CopyHeaders(HttpRequest from, HttpRequestMessage to)
    {
        var connection = from.Headers.Connection;
        foreach (var (name, values) in from.Headers)
        {
            if (!IsOurs(name) && !HopByHop.Is(name) && (connection.Count == 0 || !HopByHop.IsNominated(name, connection)))
                Add(to, name, values);
        }
    }

    private static void Add(HttpRequestMessage to, string name, StringValues values)
    {
        if (!Add(to.Headers, name, values) && to.Content is { } content)
            Add(content.Headers, name, values);
    }

    // One value is nearly always all there is.
    private static bool Add(HttpHeaders to, string name, StringValues values) =>
        values.Count == 1 ? to.TryAddWithoutValidation(name, values[0]) : to.TryAddWithoutValidation(name, values.AsEnumerable());

    /// <summary>
    /// What the gateway says itself, or keeps to itself. Anybody can write a Forwarded header, and the next service must not believe it.
    /// </summary>
    private static bool IsOurs(string name) =>
        Ours.Contains(name)
        || name.StartsWith("X-Forwarded-", StringComparison.OrdinalIgnoreCase)
        || (Activity.Current is not null && DistributedContextPropagator.Current.Fields.Contains(name, StringComparer.OrdinalIgnoreCase));

    private static void AddForwarded(HttpContext context, HttpRequestMessage to)
    {
        if (context.Connection.RemoteIpAddress is { } client)
            to.Headers.TryAddWithoutValidation("X-Forwarded-For", client.ToString());
        to.Headers.TryAddWithoutValidation("X-Forwarded-Host", context.Request.Host.Value);
        to.Headers.TryAddWithoutValidation("X-Forwarded-Proto", context.Request.Scheme);
    }

    private sealed record Address(string? Path, string? Query, Uri Uri);
}
