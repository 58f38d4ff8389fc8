namespace DroneDelivery.Amqp.Tests.Trace;

public sealed class FrameTextTests
{
    [Fact]
    public void Absent_fields_are_left_out_and_later_ones_keep_their_names()
    {
        var flow = BodyOf(
            new Flow { IncomingWindow = 5, NextOutgoingId = 1, OutgoingWindow = 6, Handle = 2, LinkCredit = 7, Drain = true });

        Assert.Equal("flow(incoming-window=5 next-outgoing-id=1 outgoing-window=6 handle=2 link-credit=7 drain=true)", FrameText.Of(flow));
    }

    [Fact]
    public void A_peers_text_stays_on_its_line()
    {
        var attach = BodyOf(new Attach { Name = "a\r\n\u001b[2Jb", Target = new Target { Address = "q" } });

        Assert.StartsWith("attach(name=\"a···[2Jb\" ", FrameText.Of(attach), StringComparison.Ordinal);
    }

    [Fact]
    public void A_long_frame_is_cut()
    {
        var attach = BodyOf(new Attach { Name = new string('n', 10_000), Target = new Target { Address = "q" } });

        Assert.Equal(FrameText.MaxLength + 1, FrameText.Of(attach).Length);
    }

    [Fact]
    public void Damaged_frames_are_said_to_be_so()
    {
        var random = new Random(7);
        var good = BodyOf(new Attach { Name = "link", Source = new Source { Address = "q" }, Target = new Target { Address = "q" } });
        for (var i = 0; i < 5_000; i++)
        {
            var bad = good.ToArray();
            for (var changes = random.Next(1, 4); changes > 0; changes--)
                bad[random.Next(bad.Length)] = (byte)random.Next(256);

            Assert.DoesNotContain(FrameText.Of(bad.AsSpan(0, random.Next(1, bad.Length + 1))), char.IsControl);
        }
        Assert.Contains("that cannot be read", FrameText.Of(good.AsSpan(0, good.Length - 3)), StringComparison.Ordinal);
    }

    private static byte[] BodyOf<T>(T body) where T : IComposite => Bytes.Encode(body.Write);
}
