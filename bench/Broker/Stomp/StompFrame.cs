using System.Globalization;
using System.Text;

namespace DroneDelivery.Bench.Broker.Stomp;

/// <summary>A frame of STOMP 1.2, as it lies in the buffer of what was read.</summary>
internal readonly ref struct StompFrame
{
    private const byte NewLine = (byte)'\n',
        Return = (byte)'\r';

    private readonly ReadOnlySpan<byte> _headers;

    private StompFrame(ReadOnlySpan<byte> command, ReadOnlySpan<byte> headers, ReadOnlySpan<byte> body)
    {
        Command = command;
        _headers = headers;
        Body = body;
    }

    public ReadOnlySpan<byte> Command { get; }

    public ReadOnlySpan<byte> Body { get; }

    /// <summary>The frame at the start of what was read.</summary>
    /// <param name="length">Of the frame and the line ends before it.</param>
    /// <returns>False: the end of the frame has not arrived.</returns>
    public static bool TryRead(ReadOnlySpan<byte> received, out StompFrame frame, out int length)
    {
        frame = default;
        length = 0;
        var rest = received.TrimStart("\r\n"u8);
        if (!TryReadLine(ref rest, out var command))
            return false;
        var headers = rest;
        ReadOnlySpan<byte> line;
        do
        {
            if (!TryReadLine(ref rest, out line))
                return false;
        } while (!line.IsEmpty);
        headers = headers[..^rest.Length];
        var size = BodyLength(new StompFrame(command, headers, default), rest);
        if (size < 0 || size >= rest.Length)
            return false;
        if (rest[size] != 0)
        {
            throw new InvalidDataException(
                $"{Encoding.UTF8.GetString(command)} does not end where its content-length says."
            );
        }

        frame = new(command, headers, rest[..size]);
        length = received.Length - rest.Length + size + 1;
        return true;
    }

    public bool Is(ReadOnlySpan<byte> command) => Command.SequenceEqual(command);

    /// <returns>The first value of that name, as it was sent: characters are escaped, as they are in a frame that repeats the value.
    /// Empty: there is none.</returns>
    public ReadOnlySpan<byte> Header(ReadOnlySpan<byte> name)
    {
        var rest = _headers;
        while (TryReadLine(ref rest, out var line))
        {
            if (line.Length > name.Length && line[name.Length] == ':' && line.StartsWith(name))
                return line[(name.Length + 1)..];
        }
        return default;
    }

    private static int BodyLength(StompFrame frame, ReadOnlySpan<byte> rest)
    {
        var declared = frame.Header("content-length"u8);
        return declared.IsEmpty
            ? rest.IndexOf((byte)0)
            : int.Parse(declared, NumberStyles.None, CultureInfo.InvariantCulture);
    }

    private static bool TryReadLine(scoped ref ReadOnlySpan<byte> rest, out ReadOnlySpan<byte> line)
    {
        line = default;
        var end = rest.IndexOf(NewLine);
        if (end < 0)
            return false;
        line = rest[..end];
        rest = rest[(end + 1)..];
        if (!line.IsEmpty && line[^1] == Return)
            line = line[..^1];
        return true;
    }
}
