using System.Runtime.ExceptionServices;

namespace DroneDelivery.Amqp;

public sealed partial class AmqpConnection
{
    // Continuing synchronously is cheaper than leaving the thread, up to these limits.
    private const int MaxReadsAtOnce = 64;
    private const int MaxBytesAtOnce = 256 * 1024;

    private bool _remoteClosed;
    private AmqpError? _remoteError;

    private async Task RunAsync()
    {
        // Return to the caller immediately, even if data is available.
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        var sending = SendAsync();
        var end = await ReadUntilEndAsync();
        if (end.Violation)
            BeginClose(end.Error);
        TearDown(ref end);
        if (end.Violation)
            await DiscardAsync();
        lock (Gate)
        {
            ArmCloseDeadline();
            Outbox.Complete();
        }
        try
        {
            await sending;
        }
        finally
        {
            await CloseTransportAsync();
        }
        // The peer got an internal-error; the exception goes to this side's caller.
        end.Defect?.Throw();
    }

    /// <summary>The reason why the connection ended. A violation still has to be reported to the peer.</summary>
    private record struct Ending(AmqpError? Error, bool Violation = false, ExceptionDispatchInfo? Defect = null);

    private async Task<Ending> ReadUntilEndAsync()
    {
        try
        {
            return new Ending(await ReadFramesAsync() ?? _closeError);
        }
        catch (AmqpException e)
        {
            return new Ending(e.Error, Violation: true);
        }
        catch (Exception e) when (TransportFailure.Is(e))
        {
            return new Ending(
                _closeError ?? new AmqpError(ErrorConditions.ConnectionForced, $"The transport failed: {e.Message}")
            );
        }
        catch (Exception e)
        {
            return new Ending(
                new AmqpError(ErrorConditions.InternalError, e.Message),
                Violation: true,
                ExceptionDispatchInfo.Capture(e)
            );
        }
    }

    private async Task<AmqpError?> ReadFramesAsync()
    {
        using var parser = new FrameParser(_options.MaxFrameSize);
        var (reads, bytes) = (0, 0L);
        while (true)
        {
            if (Outbox.IsFull)
                await WaitForRoomAsync();
            // A busy peer would otherwise block this thread, which may poll all sockets.
            if (reads >= MaxReadsAtOnce || bytes >= MaxBytesAtOnce)
            {
                await Task.Yield();
                (reads, bytes) = (0, 0);
            }
            var result = await _transport.Input.ReadAsync(_aborted.Token);
            _heartbeat.Received();
            var buffer = result.Buffer;
            reads++;
            bytes += buffer.Length;
            var isCutShort = false;
            Outbox.Cork();
            try
            {
                while (!_remoteClosed && !(isCutShort = Outbox.IsFull) && parser.TryRead(ref buffer, out var frame))
                    Take(frame);
            }
            finally
            {
                parser.Release();
                EndRead(buffer.Start, isCutShort ? buffer.Start : buffer.End);
            }
            if (_remoteClosed)
                return _remoteError;
            if (result.IsCanceled)
                return _closeError;
            if (isCutShort)
                continue;
            if (result.IsCompleted)
                throw new EndOfStreamException("the peer disconnected without a close.");
        }
    }

    /// <summary>Stops reading from a peer that doesn't read its responses. If both ends do this, the idle timeout ends
    /// the connection.</summary>
    private async Task WaitForRoomAsync()
    {
        _heartbeat.PauseReading();
        await Outbox.RoomAsync();
        _heartbeat.ResumeReading();
    }

    private void EndRead(SequencePosition consumed, SequencePosition examined)
    {
        try
        {
            _listener.OnGathered();
        }
        finally
        {
            Outbox.Uncork();
            _transport.Input.AdvanceTo(consumed, examined);
        }
    }

    private void Take(Frame frame)
    {
        try
        {
            Dispatch(frame);
        }
        catch (AmqpException e) when (e.EndsSession)
        {
            _listener.OnGathered(); // Responds to the preceding frames first.
            Sessions.Find(frame.Channel)?.BeginEnd(e.Error);
        }
    }

    private void Dispatch(Frame frame)
    {
        if (frame.Type != Frame.AmqpType)
            throw new AmqpException(ErrorConditions.FramingError, $"unexpected frame type {frame.Type}");
        if (frame.Body.IsEmpty)
            return;
        var fields = new FieldReader(frame.Body, out var descriptor);
        if (descriptor == Transfer.Code)
        {
            var transfer = Transfer.Read(ref fields);
            var payload = frame.Body[fields.End()..];
            Sessions.Find(frame.Channel)?.OnTransfer(transfer, payload);
            return;
        }
        if (descriptor != Disposition.Code)
            _listener.OnGathered();
        DispatchRare(frame.Channel, descriptor, ref fields);
        if (fields.End() != frame.Body.Length)
            throw new AmqpException(ErrorConditions.FramingError, "unexpected bytes after the performative");
    }

    private void DispatchRare(ushort channel, ulong descriptor, ref FieldReader fields)
    {
        switch (descriptor)
        {
            case Disposition.Code:
                var disposition = Disposition.Read(ref fields);
                fields.End();
                Sessions.Find(channel)?.OnDisposition(disposition);
                break;
            case Flow.Code:
                Sessions.Find(channel)?.OnFlow(Flow.Read(ref fields));
                break;
            case Attach.Code:
                Sessions.Find(channel)?.OnAttach(Attach.Read(ref fields), _listener);
                break;
            case Detach.Code:
                Sessions.Find(channel)?.OnDetach(Detach.Read(ref fields));
                break;
            case Begin.Code:
                OnBegin(channel, Begin.Read(ref fields));
                break;
            case End.Code:
                OnEnd(channel, End.Read(ref fields));
                break;
            case Close.Code:
                OnClose(Close.Read(ref fields));
                break;
            default:
                throw new AmqpException(
                    ErrorConditions.FramingError,
                    $"unexpected performative 0x{descriptor:x} on an open connection"
                );
        }
    }

    private void OnBegin(ushort channel, Begin begin)
    {
        if (channel > _options.ChannelMax)
        {
            throw new AmqpException(
                ErrorConditions.FramingError,
                $"channel {channel} exceeds the channel-max {_options.ChannelMax}"
            );
        }

        lock (Gate)
        {
            if (IsClosing)
                return;
            var session = begin.RemoteChannel is { } ours
                ? Sessions.Own(ours)
                : Sessions.Add(this, new SessionOptions());
            Sessions.Map(channel, session);
            session.OnBegin(begin, channel);
        }
    }

    private void OnEnd(ushort channel, End end)
    {
        var session = Sessions.Find(channel);
        if (session is null)
            return;
        session.OnEnd(end.Error);
        lock (Gate)
            Sessions.Remove(channel, session);
        _listener.OnSessionEnded(session);
    }

    private void OnClose(Close close)
    {
        _remoteClosed = true;
        _remoteError = close.Error;
        BeginClose(null);
    }

    /// <summary>Notifies all links, sessions, and the listener once, even if handlers throw exceptions.</summary>
    private void TearDown(ref Ending end)
    {
        List<AmqpSession> sessions;
        lock (Gate)
        {
            IsClosing = true;
            _closeError ??= end.Error;
            sessions = Sessions.TakeAll();
        }
        _heartbeat.Dispose();
        var error = end.Error;
        foreach (var session in sessions)
        {
            Call(() => session.OnConnectionGone(error ?? Gone), ref end);
            Call(() => _listener.OnSessionEnded(session), ref end);
        }
        Call(() => _listener.OnClosed(this, error), ref end);
        _closed.TrySetResult(end.Error);
    }

    private static void Call(Action callback, ref Ending end)
    {
        try
        {
            callback();
        }
        catch (Exception e)
        {
            end = end.Defect is null ? end with { Defect = ExceptionDispatchInfo.Capture(e) } : end;
        }
    }

    /// <summary>After a violation, reads until the peer disconnects. Otherwise, closing the transport could discard the
    /// close frame.</summary>
    private async Task DiscardAsync()
    {
        try
        {
            await _transport.Input.CopyToAsync(Stream.Null, _aborted.Token);
        }
        catch (Exception e) when (TransportFailure.Is(e)) { }
    }

    private async Task SendAsync()
    {
        try
        {
            await Outbox.RunAsync(_aborted.Token);
        }
        finally
        {
            Abort();
        }
    }

    private async Task CloseTransportAsync()
    {
        _closeDeadline?.Dispose();
        Outbox.Dispose();
        await _transport.Output.CompleteAsync();
        await _transport.Input.CompleteAsync();
        if (_transport is IAsyncDisposable owned)
            await owned.DisposeAsync();
    }
}
