using System.IO.Pipelines;
using System.Net;

namespace DroneDelivery.Gateway.Forwarding;

/// <summary>The client's body on its way to the backend, as it comes.</summary>
internal sealed class ForwardedBody(HttpRequest request, Silence silence) : HttpContent
{
    /// <summary>Why the client's body could not be read to its end; the backend is not to blame.</summary>
    public Exception? Failure { get; private set; }

    protected override Task SerializeToStreamAsync(Stream stream, TransportContext? context) =>
        SerializeToStreamAsync(stream, context, CancellationToken.None);

    protected override async Task SerializeToStreamAsync(Stream stream, TransportContext? context, CancellationToken cancellationToken)
    {
        var reader = request.BodyReader;
        while (true)
        {
            var read = await ReadAsync(reader, cancellationToken);
            foreach (var part in read.Buffer)
                await stream.WriteAsync(part, cancellationToken);
            reader.AdvanceTo(read.Buffer.End);
            silence.Broken();
            if (read.IsCompleted)
                return;
            await stream.FlushAsync(cancellationToken); // a client that pauses has said something
        }
    }

    protected override bool TryComputeLength(out long length)
    {
        length = request.ContentLength ?? 0;
        return request.ContentLength is not null;
    }

    private async ValueTask<ReadResult> ReadAsync(PipeReader reader, CancellationToken cancellationToken)
    {
        try
        {
            return await reader.ReadAsync(cancellationToken);
        }
        catch (Exception exception)
        {
            Failure = exception;
            throw;
        }
    }
}
