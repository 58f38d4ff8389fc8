using System.Buffers;
using Microsoft.AspNetCore.Connections;

namespace DroneDelivery.LocalServiceBus.Hosting;

/// <summary>The memory in which connections have what arrives and what leaves. The web server's own blocks have 4 KB: a burst of messages
/// would take a system call for each three of them.</summary>
internal sealed class TransportBlocks : MemoryPool<byte>, IMemoryPoolFactory<byte>
{
    public const int BlockSize = 32 * 1024;

    public override int MaxBufferSize => BlockSize;

    public MemoryPool<byte> Create(MemoryPoolOptions? options = null) => this;

    public override IMemoryOwner<byte> Rent(int minBufferSize = -1) => Shared.Rent(BlockSize);

    protected override void Dispose(bool disposing)
    {
        // The pool is the process's.
    }
}
