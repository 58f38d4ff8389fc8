using System.Buffers;
using System.Collections.Concurrent;
using System.Runtime.InteropServices;
using Microsoft.AspNetCore.Connections;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>A memory pool for the transport buffers of connections. The web server's own blocks of 4 KB hold only three
/// small messages.</summary>
internal sealed class TransportBlocks : MemoryPool<byte>, IMemoryPoolFactory<byte>
{
    public const int BlockSize = 32 * 1024;

    // Blocks beyond this number are left to the garbage collector.
    private const int MaxKept = 128;

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
        // Connections that are still closing return their blocks to this pool.
    }

    private void Return(Block block)
    {
        if (Interlocked.Increment(ref _count) <= MaxKept)
            _kept.Enqueue(block);
        else
            Interlocked.Decrement(ref _count);
    }

    private sealed class Block(TransportBlocks owner) : IMemoryOwner<byte>
    {
        // Pinned, because the operating system reads into it and writes from it.
        public Memory<byte> Memory { get; } =
            MemoryMarshal.CreateFromPinnedArray(
                GC.AllocateUninitializedArray<byte>(BlockSize, pinned: true),
                0,
                BlockSize
            );

        public void Dispose() => owner.Return(this);
    }
}
