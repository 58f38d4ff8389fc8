using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Connections;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>The memory in which connections have what arrives and what leaves. The web server's own blocks have 4 KB: a burst of messages
/// would take a system call for each three of them.</summary>
internal sealed class TransportBlocks : MemoryPool<byte>, IMemoryPoolFactory<byte>
{
    public const int BlockSize = 32 * 1024;

    // What more connections than this used at once is garbage afterwards.
    private const int MostKept = 128;

    private readonly ConcurrentQueue<Block> _kept = [];
    private int _count;

    public override int MaxBufferSize => BlockSize;

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => this;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(minBufferSize, BlockSize);
        if (!_kept.TryDequeue(out var block))
            return new Block(this);
        Interlocked.Decrement(ref _count);
        return block;
    }

    protected override void Dispose(bool disposing)
    {
        // Connections that still end give their blocks back, and nothing else refers to them.
    }

    private void GiveBack(Block block)
    {
        if (Interlocked.Increment(ref _count) <= MostKept)
            _kept.Enqueue(block);
        else
            Interlocked.Decrement(ref _count);
    }

    private sealed class Block(TransportBlocks owner) : IMemoryOwner<byte>
    {
        // The system reads into it and writes from it, so it must not move.
        public Memory<byte> Memory { get; } =
            MemoryMarshal.CreateFromPinnedArray(
                GC.AllocateUninitializedArray<byte>(BlockSize, pinned: true),
                0,
                BlockSize
            );

        public void Dispose() => owner.GiveBack(this);
    }
}
