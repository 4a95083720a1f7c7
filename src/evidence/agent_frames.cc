#include "evidence/agent_frames.h"

namespace holdfast {

std::vector<Frame> frames_of(const AgentRecord& agent, const FrameNumbers& stack) {
    std::vector<Frame> frames;
    for (auto number = stack.rbegin(); number != stack.rend(); ++number) {
        if (*number >= agent.frames.size()) continue;
        const AgentFrameText& frame = agent.frames[*number];
        frames.push_back({frame.file, frame.line, frame.function});
    }
    return frames;
}

}  // namespace holdfast
