using System.Net.Http.Headers;
using Microsoft.Extensions.Primitives;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>The backend's answer on its way to the client, as it comes.</summary>
internal static class ForwardedAnswer
{
    public static async Task CopyAsync(HttpResponseMessage from, HttpContext context, Silence silence)
    {
        var to = context.Response;
        to.StatusCode = (int)from.StatusCode;
        var connection = from.Headers.NonValidated.TryGetValues("Connection", out var names) ? ValuesOf(names) : default;
        try
        {
            CopyHeaders(from.Headers.NonValidated, to, connection);
            CopyHeaders(from.Content.Headers.NonValidated, to, connection);
        }
        catch (InvalidOperationException exception)
        {
            throw new HttpRequestException(exception.Message, exception); // the server sends no such header
        }

        await CopyBodyAsync(from, to, silence);
        await to.StartAsync(silence.Token); // without a body, too: nobody adds one
    }

    private static void CopyHeaders(HttpHeadersNonValidated from, HttpResponse to, StringValues connection)
    {
        foreach (var (name, values) in from)
        {
            if (!HopByHop.Is(name) && (connection.Count == 0 || !HopByHop.IsNominated(name, connection)))
                to.Headers[name] = ValuesOf(values);
        }
    }

    private static StringValues ValuesOf(HeaderStringValues values) => values.Count == 1 ? values.ToString() : values.ToArray();

    private static async Task CopyBodyAsync(HttpResponseMessage from, HttpResponse to, Silence silence)
    {
        if (from.Content.Headers.ContentLength == 0)
            return;
        var body = await from.Content.ReadAsStreamAsync(silence.Token);
        while (true)
        {
            var read = await body.ReadAsync(to.BodyWriter.GetMemory(), silence.Token);
            if (read == 0)
                return;
            silence.Broken();
            to.BodyWriter.Advance(read);
            await to.BodyWriter.FlushAsync(silence.Token);
        }
    }
}
